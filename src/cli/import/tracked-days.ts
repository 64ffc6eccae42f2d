/** The days on which a website has page views that are not those of the files: an import would count them twice. */
import { dayMs } from "../../core/hit.ts";
import { badInput } from "../../core/refusal.ts";
import type { Control } from "../control/control.ts";

/** The most days that are asked about at once, fewer than an answer may have. */
const askedMax = 9_000;
/** The most days that a sentence names. */
const namedMax = 5;

/** The page views of a UTC day in the file. */
export interface DayViews {
  /** The page views that are new. */
  taken: number;
  /** The page views that the file had when it was imported before. */
  imported: number;
}

/**
 * Returns the first milliseconds of such UTC days, rising. `days`: what the files have, by the number of the UTC day.
 * `isImported`: whether it has been imported by now.
 */
export async function trackedDays(
  { pageviewsByDay }: Pick<Control, "pageviewsByDay">,
  hostname: string,
  days: ReadonlyMap<number, DayViews>,
  isImported: boolean,
): Promise<readonly number[]> {
  const taken = [...days].flatMap(([day, { taken }]) => (taken > 0 ? [day] : []));
  const known = await Promise.all(
    spansOf(taken.sort((a, b) => a - b)).map(([first, last]) =>
      pageviewsByDay({ hostname, startMs: first * dayMs, endMs: (last + 1) * dayMs - 1 }),
    ),
  );
  return known
    .flat()
    .filter(({ timeMs, pageviews }) => {
      const views = days.get(timeMs / dayMs);
      if (views === undefined || views.taken === 0) return false;
      return pageviews > views.imported + (isImported ? views.taken : 0);
    })
    .map(({ timeMs }) => timeMs);
}

/** Returns the first and the last UTC day of which page views were taken, such as 2026-03-14; undefined if none were. */
export function takenSpan(
  days: ReadonlyMap<number, DayViews>,
): readonly [first: string, last: string] | undefined {
  let [first, last] = [Infinity, -Infinity];
  for (const [day, { taken }] of days)
    if (taken > 0) [first, last] = [Math.min(first, day), Math.max(last, day)];
  return first > last ? undefined : [dateOf(first * dayMs), dateOf(last * dayMs)];
}

/** Returns spans that have all of these days, which rise: the first and the last day of each. */
function spansOf(days: readonly number[]): (readonly [first: number, last: number])[] {
  const spans: [first: number, last: number][] = [];
  for (const day of days) {
    const span = spans.at(-1);
    if (span !== undefined && day - span[0] < askedMax) span[1] = day;
    else spans.push([day, day]);
  }
  return spans;
}

/** Returns a warning that names the days, and what to do. */
export function trackedText(days: readonly number[], hostname: string): string {
  const named = days.slice(0, namedMax).map(dateOf);
  const more = days.length > namedMax ? `, … ${dateOf(days.at(-1)!)}` : "";
  const subject = days.length === 1 ? "1 day has" : `${days.length} days have`;
  return (
    `${subject} page views of ${hostname} besides those of the files, and would count twice: ` +
    `${named.join(", ")}${more}. --until ${named[0]} takes what was before`
  );
}

/** Returns the number of a day, counted from 1970. Throws Refusal 400 naming the field. */
export function parseDay(field: string, text: string): number {
  const day = dayOfDate(text);
  if (day === undefined) throw badInput(field, text, "a date such as 2026-11-20");
  return day;
}

/** Returns the number of a day, counted from 1970; undefined if the text is no date that the calendar has. */
export function dayOfDate(text: string): number | undefined {
  const timeMs = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : NaN;
  // 30 February would be taken as 1 March.
  return !Number.isNaN(timeMs) && dateOf(timeMs) === text ? timeMs / dayMs : undefined;
}

export function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
