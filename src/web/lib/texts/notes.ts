/** Notes on days, as a chart shows them: by interval, and as marks that a finger can tell apart. */
import type { Note } from "../../../core/website/note.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { endOf } from "../calendar/intervals.ts";
import { parseDate, startOfDate } from "../calendar/zone.ts";
import { dateFormat } from "./format.ts";
import { locale as ownLocale } from "./words.ts";

export type { Note };

/** The dialog of notes that is open: of those of a mark, of one that is changed, or of a new one. */
export type OpenNotes = { readonly notes: readonly Note[] } | { readonly edited: Note | undefined };

/** The notes of each interval that has some, by its index, in the order of their days. */
export type NotesByInterval = ReadonlyMap<number, readonly Note[]>;

/** Returns the notes on days that begin within the intervals: of hours and minutes those in which the day begins. */
export function notesByInterval(
  notes: readonly Note[],
  intervals: readonly { readonly date: string }[],
  interval: IntervalName,
  zone: string,
): NotesByInterval {
  const found = new Map<number, Note[]>();
  const starts = intervals.map(({ date }) => Date.parse(date));
  for (const note of notes.toSorted((a, b) => (a.date < b.date ? -1 : 1))) {
    const date = parseDate(note.date);
    const ms = date === undefined ? NaN : startOfDate(zone, date);
    const index = starts.findLastIndex((startMs) => startMs <= ms);
    const start = intervals[index]?.date;
    if (start === undefined || ms >= endOf(start, interval, zone)) continue;
    found.set(index, [...(found.get(index) ?? []), note]);
  }
  return found;
}

export interface Mark {
  /** Pixels from the left edge. */
  readonly x: number;
  /** The interval of its first note. */
  readonly index: number;
  readonly notes: readonly Note[];
}

/** Returns a mark for each interval with notes; one that would come too near to the mark before joins it. */
export function marksOf(byInterval: NotesByInterval, xOf: (index: number) => number, apart: number): Mark[] {
  const marks: Mark[] = [];
  for (const [index, notes] of [...byInterval].sort(([a], [b]) => a - b)) {
    const before = marks.at(-1);
    const x = xOf(index);
    if (before === undefined || x - before.x >= apart) marks.push({ x, index, notes });
    else marks[marks.length - 1] = { ...before, notes: [...before.notes, ...notes] };
  }
  return marks;
}

/** Returns a day in words, such as Tue, 3 Nov 2026. */
export function dayText(date: string, locale = ownLocale): string {
  const day = { weekday: "short", day: "numeric", month: "short", year: "numeric" } as const;
  return dateFormat({ ...day, timeZone: "UTC" }, locale).format(Date.parse(`${date}T00:00:00Z`));
}
