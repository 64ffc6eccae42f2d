/** Asks for the name under which what is shown is saved. */
import { useAnswer } from "../../lib/answer.ts";
import { ApiError, call } from "../../lib/api.ts";
import { announceChange } from "../announcer.tsx";
import { Field, Form } from "../forms/form.tsx";
import { t } from "../../lib/texts/words.ts";
import { Cancel, Dialog } from "./dialog.tsx";

interface SavingProps {
  readonly title: string;
  readonly submit: string;
  /** Said when it is saved. */
  readonly done: string;
  /** The words for each part of it. */
  readonly lines: readonly string[];
  /** The path of the list in the API, and what an entry has besides its name. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly nameCharactersMax: number;
  readonly onClose: () => void;
}

export function Saving(props: SavingProps) {
  const { title, submit, lines, onClose } = props;
  const { data: saved = [] } = useAnswer<readonly { readonly name: string }[]>(props.path);
  const save = async ({ name = "" }: Readonly<Record<string, string>>) => {
    // Nobody can tell two of one name apart in a menu.
    if (saved.some((entry) => entry.name === name.trim()))
      throw new ApiError(400, t("There is one with this name already."), true, "name");
    await call("POST", props.path, { body: { name, ...props.body } });
    onClose();
    announceChange(props.done);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={submit} onSubmit={save} beside={<Cancel onClose={onClose} />}>
        <ul>
          {lines.map((line, at) => (
            <li key={at} dir="auto">
              {line}
            </li>
          ))}
        </ul>
        <Field
          label={t("Name")}
          name="name"
          autocomplete="off"
          required
          maxLength={props.nameCharactersMax}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}
