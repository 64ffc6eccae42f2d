/** Asks a person to type a name before something is deleted permanently. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Cancel, Dialog } from "./dialog.tsx";
import { Field, Form } from "../forms/form.tsx";
import { t } from "../../lib/texts/words.ts";

interface ConfirmProps {
  readonly title: string;
  /** The text that has to be typed. */
  readonly name: string;
  readonly submit: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  /** Says what will be deleted. */
  readonly children: ComponentChildren;
}

export function Confirm({ title, name, submit, onConfirm, onClose, children }: ConfirmProps) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        look="danger"
        submit={submit}
        ready={typed.trim() === name}
        onSubmit={onConfirm}
        beside={<Cancel onClose={onClose} />}
      >
        {children}
        <Field
          label={t("Type {name} to confirm", { name })}
          name="confirmation"
          autocomplete="off"
          spellcheck={false}
          autoFocus
          onInput={setTyped}
        />
      </Form>
    </Dialog>
  );
}
