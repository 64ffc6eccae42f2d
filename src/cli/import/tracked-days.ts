/** The days on which a website has page views that are not those of the files: an import would count them twice. */
import { dayMs } from "../../core/hit.ts";
import { badInput } from "../../core/refusal.ts";
import type { Control } from "../control.ts";
import type { DayViews } from "./import.ts";

/** The most days that a sentence names. */
const namedMax = 5;

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
  const numbers = [...days].flatMap(([day, { taken }]) => (taken > 0 ? [day] : []));
  if (numbers.length === 0) return [];
  const [startMs, endMs] = [
    numbers.reduce((least, day) => Math.min(least, day), Infinity) * dayMs,
    (numbers.reduce((most, day) => Math.max(most, day), -Infinity) + 1) * dayMs - 1,
  ];
  const known = await pageviewsByDay({ hostname, startMs, endMs });
  return known
    .filter(({ timeMs, pageviews }) => {
      const views = days.get(timeMs / dayMs);
      if (views === undefined || views.taken === 0) return false;
      return pageviews > views.imported + (isImported ? views.taken : 0);
    })
    .map(({ timeMs }) => timeMs);
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
