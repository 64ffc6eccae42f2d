/** Asks before something is removed that can be added again. */
import type { ComponentChildren } from "preact";
import { forgetAnswers } from "../../lib/answer.ts";
import { call } from "../../lib/api.ts";
import { announce } from "../announcer.tsx";
import { Cancel, Dialog } from "./dialog.tsx";
import { Form } from "../forms/form.tsx";
import { noun, t } from "../../lib/texts/words.ts";

interface RemovalProps {
  readonly title: string;
  /** The kind of thing, such as Goal. */
  readonly what: string;
  /** The path of the thing in the API. */
  readonly path: string;
  readonly onClose: () => void;
  /** Says what becomes of the rest. */
  readonly children: ComponentChildren;
}

export function Removal({ title, what, path, onClose, children }: RemovalProps) {
  const remove = async () => {
    await call("DELETE", path);
    onClose();
    forgetAnswers();
    announce(t("{what} removed", { what }));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={t("Remove {what}", { what: noun(what) })}
        look="danger"
        onSubmit={remove}
        beside={<Cancel onClose={onClose} />}
      >
        {children}
      </Form>
    </Dialog>
  );
}
