/** The dialog of notes: it shows those of a mark, adds, changes and removes them. */
import { useState } from "preact/hooks";
import { noteCharactersMax } from "../../core/website/note.ts";
import { call } from "../lib/api.ts";
import { dateIn, isoDate } from "../lib/calendar/zone.ts";
import { spanOf } from "../lib/calendar/period.ts";
import { isolated, label } from "../../core/questions/label.ts";
import { dayText, type Note, type OpenNotes } from "../lib/texts/notes.ts";
import type { Question } from "../lib/question/question.ts";
import { may } from "../lib/question/view-href.ts";
import { announceChange } from "../parts/announcer.tsx";
import { Cancel, Dialog } from "../parts/dialogs/dialog.tsx";
import { DayField } from "../parts/forms/day-field.tsx";
import { Field, Form } from "../parts/forms/form.tsx";
import { Removal } from "../parts/dialogs/removal.tsx";
import { t } from "../lib/texts/words.ts";

interface NotesDialogProps {
  readonly question: Question;
  /** The notes of the website are there in the API. */
  readonly path: string;
  readonly open: OpenNotes;
  readonly onOpen: (open: OpenNotes) => void;
  readonly onClose: () => void;
}

export function NotesDialog({ question, path, open, onOpen, onClose }: NotesDialogProps) {
  if ("edited" in open)
    return <NoteForm question={question} path={path} note={open.edited} onClose={onClose} />;
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

interface NoteFormProps extends Pick<NotesDialogProps, "question" | "path" | "onClose"> {
  /** undefined: a new one. */
  readonly note: Note | undefined;
}

function NoteForm({ question, path: notesPath, note, onClose }: NoteFormProps) {
  const path = note === undefined ? notesPath : `${notesPath}/${note.id}`;
  const [removing, setRemoving] = useState(false);
  const [day, setDay] = useState(note?.date ?? dayOf(question));
  const done = (said: string) => {
    onClose();
    announceChange(said);
  };
  const save = async ({ date = "", text = "" }: Readonly<Record<string, string>>) => {
    // A field that nobody changed here stays as it is now: another window may have changed it.
    const body = { ...(date !== note?.date && { date }), ...(text !== note?.text && { text }) };
    await call(note === undefined ? "POST" : "PATCH", path, { body });
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
        <DayField label={t("Day")} name="date" required day={day} onDay={setDay} />
      </Form>
    </Dialog>
  );
}

/** Returns the last day of the period that is not in the future. */
function dayOf({ period, zone }: Question): string {
  const nowMs = Date.now();
  return isoDate(dateIn(zone, Math.min(spanOf(period, zone, nowMs).endMs, nowMs)));
}
