/** Asks before something is removed, that can be added again or that cannot, or is changed so that others lose something. */
import type { ComponentChildren } from "preact";
import { call } from "../../lib/api.ts";
import { announceChange } from "../announcer.tsx";
import { Cancel, Dialog } from "./dialog.tsx";
import { Form } from "../forms/form.tsx";
import { noun, t } from "../../lib/texts/words.ts";

export interface Deleted {
  readonly title: string;
  /** The words of the button. */
  readonly submit: string;
  /** Says afterwards what was done. */
  readonly done: string;
  /** The path of the thing in the API. */
  readonly path: string;
  /** Sent by PATCH, it changes the thing; without it, the thing is deleted. */
  readonly body?: object;
  /** Says what becomes of the rest. */
  readonly children: ComponentChildren;
}

interface DeletionProps extends Deleted {
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

export function Deletion(props: DeletionProps) {
  const { title, submit, done, path, body, onClose, onDeleted, children } = props;
  const remove = async () => {
    await call(body === undefined ? "DELETE" : "PATCH", path, { body });
    onDeleted?.();
    onClose();
    announceChange(done);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} look="danger" onSubmit={remove} beside={<Cancel onClose={onClose} />}>
        {children}
      </Form>
    </Dialog>
  );
}

interface RemovalProps extends Omit<DeletionProps, "submit" | "done"> {
  /** The kind of thing, such as Goal. */
  readonly what: string;
}

export function Removal({ what, ...others }: RemovalProps) {
  return (
    <Deletion
      {...others}
      submit={t("Remove {what}", { what: noun(what) })}
      done={t("{what} removed", { what })}
    />
  );
}
