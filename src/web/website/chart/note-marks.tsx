/** The marks of notes at the foot of a chart: buttons that say the notes, and open them. */
import { dayText, marksOf, type Note, type NotesByInterval } from "../../lib/texts/notes.ts";
import { isolated, label } from "../../../core/questions/label.ts";
import { xOf, type Plot } from "../../lib/drawing/scale.ts";
import { t } from "../../lib/texts/words.ts";

/** The width of a mark in pixels, which a finger can hit. */
const markPx = 24;

export interface ChartNotes {
  readonly byInterval: NotesByInterval;
  /** Shows the notes of a mark. */
  readonly onOpen: (notes: readonly Note[]) => void;
}

export function NoteMarks({ notes, plot }: { readonly notes: ChartNotes; readonly plot: Plot }) {
  const marks = marksOf(notes.byInterval, (index) => xOf(plot, index), markPx);
  if (marks.length === 0) return null;
  return (
    <ul class="note-marks" aria-label={t("Notes on the chart")}>
      {marks.map((mark) => {
        const text = mark.notes
          .map((note) => `${dayText(note.date)}: ${isolated(label(note.text))}`)
          .join("\n");
        return (
          <li
            key={mark.index}
            data-side={mark.x > plot.right / 2 ? "start" : "end"}
            style={{ left: `${mark.x}px` }}
          >
            <button
              type="button"
              class="note-mark"
              aria-haspopup="dialog"
              aria-label={t("Note. {text}|{n} notes. {text}", { n: mark.notes.length, text })}
              onClick={() => notes.onOpen(mark.notes)}
            >
              {mark.notes.length > 1 && mark.notes.length}
            </button>
            <span class="tip note-tip" aria-hidden="true">
              {text}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
