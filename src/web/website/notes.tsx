/** The notes of a website: asks for them, and says which dialog is open. */
import { useState } from "preact/hooks";
import { useAnswer } from "../lib/answer.ts";
import type { Note, OpenNotes } from "../lib/texts/notes.ts";
import type { Question } from "../lib/question/question.ts";
import { may } from "../lib/question/view-href.ts";
import { useFocusKept } from "../parts/dialogs/focus-kept.ts";
import { onDemand } from "../parts/on-demand.tsx";

const NotesDialog = onDemand(async () => (await import("./notes-dialog.tsx")).NotesDialog);

const noNotes: readonly Note[] = [];

/** Returns what a chart needs to show the notes of a website, and the dialog that is open, if one is. */
export function useNotes(question: Question) {
  // Notes are for the accounts of the website: a page that was opened by a link has none.
  const isOfAccounts = question.shared === undefined;
  const path = `/website/${encodeURIComponent(question.hostname)}/notes`;
  const { data = noNotes } = useAnswer<readonly Note[]>(isOfAccounts ? path : null);
  const [open, setOpen] = useState<OpenNotes>();
  // The mark of a note vanishes with it, and where its day is another.
  const add = useFocusKept(open !== undefined, data.map(({ id, date }) => `${id} ${date}`).join());
  const close = () => setOpen(undefined);
  return {
    ...(isOfAccounts && {
      chart: {
        list: data,
        add,
        onOpen: (notes: readonly Note[]) => setOpen({ notes }),
        onAdd: may(question, "editor") ? () => setOpen({ edited: undefined }) : undefined,
      },
    }),
    dialog: open && (
      <NotesDialog question={question} path={path} open={open} onOpen={setOpen} onClose={close} />
    ),
  };
}
