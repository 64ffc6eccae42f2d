/** The notes of a website: asking for them, and the dialogs that show, add, change and remove them. */
import { useEffect, useRef, useState } from "preact/hooks";
import { noteCharactersMax } from "../../core/website/note.ts";
import { forgetAnswers, useAnswer } from "../lib/answer.ts";
import { call } from "../lib/api.ts";
import { dateIn, isoDate } from "../lib/calendar/zone.ts";
import { spanOf } from "../lib/calendar/period.ts";
import { isolated, label } from "../lib/label.ts";
import { dayText, type Note } from "../lib/notes.ts";
import type { Question } from "../lib/question/question.ts";
import { may } from "../lib/question/view-href.ts";
import { announce } from "../parts/announcer.tsx";
import { Cancel, Dialog } from "../parts/dialog.tsx";
import { Field, Form } from "../parts/form.tsx";
import { Removal } from "../parts/removal.tsx";
import { t } from "../lib/words.ts";

function notesPath({ hostname }: Question): string {
  return `/website/${encodeURIComponent(hostname)}/notes`;
}

/** Says what is open: the notes of a mark, one that is changed, or the form of a new one. */
type OpenNotes = { readonly notes: readonly Note[] } | { readonly edited: Note | undefined };

const noNotes: readonly Note[] = [];

/** Returns what a chart needs to show the notes of a website, and the dialog that is open, if one is. */
export function useNotes(question: Question) {
  // Notes are for the accounts of the website: a page that was opened by a link has none.
  const isOfAccounts = question.shared === undefined;
  const { data = noNotes } = useAnswer<readonly Note[]>(isOfAccounts ? notesPath(question) : null);
  const [open, setOpen] = useState<OpenNotes>();
  const add = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  wasOpen.current ||= open !== undefined;
  const close = () => setOpen(undefined);
  useEffect(() => {
    // The focus is lost if its mark vanished with the last note.
    if (wasOpen.current && document.activeElement === document.body) add.current?.focus();
  }, [data]);
  return {
    ...(isOfAccounts && {
      chart: {
        list: data,
        add,
        onOpen: (notes: readonly Note[]) => setOpen({ notes }),
        onAdd: may(question, "editor") ? () => setOpen({ edited: undefined }) : undefined,
      },
    }),
    dialog: open && <NotesDialog question={question} open={open} onOpen={setOpen} onClose={close} />,
  };
}

interface NotesDialogProps {
  readonly question: Question;
  readonly open: OpenNotes;
  readonly onOpen: (open: OpenNotes) => void;
  readonly onClose: () => void;
}

function NotesDialog({ question, open, onOpen, onClose }: NotesDialogProps) {
  if ("edited" in open) return <NoteForm question={question} note={open.edited} onClose={onClose} />;
  return (
    <Dialog title={open.notes.length === 1 ? t("Note") : t("Notes")} onClose={onClose}>
      <ul class="notes">
        {open.notes.map((note) => (
          <li key={note.id}>
            <strong>{dayText(note.date)}</strong>
            <p dir="auto">{label(note.text)}</p>
            {may(question, "editor") && (
              <p class="buttons">
                <button type="button" onClick={() => onOpen({ edited: note })}>
                  {t("Edit")}
                  <span class="visually-hidden"> {isolated(label(note.text))}</span>
                </button>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface NoteFormProps {
  readonly question: Question;
  /** undefined: a new one. */
  readonly note: Note | undefined;
  readonly onClose: () => void;
}

function NoteForm({ question, note, onClose }: NoteFormProps) {
  const path = note === undefined ? notesPath(question) : `${notesPath(question)}/${note.id}`;
  const [removing, setRemoving] = useState(false);
  const done = (said: string) => {
    onClose();
    forgetAnswers();
    announce(said);
  };
  const save = async ({ date = "", text = "" }: Readonly<Record<string, string>>) => {
    await call(note === undefined ? "POST" : "PATCH", path, { body: { date, text } });
    done(note === undefined ? t("Note added") : t("Note saved"));
  };
  if (removing)
    return (
      <Removal title={t("Remove the note?")} what={t("Note")} path={path} onClose={onClose}>
        <p dir="auto">{label(note?.text ?? "")}</p>
      </Removal>
    );
  const beside = (
    <>
      {note !== undefined && (
        <button type="button" onClick={() => setRemoving(true)}>
          {t("Remove")}
        </button>
      )}
      <Cancel onClose={onClose} />
    </>
  );
  return (
    <Dialog title={note === undefined ? t("Add a note") : t("Edit the note")} onClose={onClose}>
      <Form submit={note === undefined ? t("Add note") : t("Save note")} onSubmit={save} beside={beside}>
        <Field
          label={t("What happened")}
          name="text"
          autocomplete="off"
          required
          maxLength={noteCharactersMax}
          defaultValue={note?.text ?? ""}
          autoFocus
        />
        <Field
          label={t("Day")}
          name="date"
          type="date"
          required
          defaultValue={note?.date ?? dayOf(question)}
        />
      </Form>
    </Dialog>
  );
}

/** Returns the last day of the period that is not in the future. */
function dayOf({ period, zone }: Question): string {
  const nowMs = Date.now();
  return isoDate(dateIn(zone, Math.min(spanOf(period, zone, nowMs).endMs, nowMs)));
}
