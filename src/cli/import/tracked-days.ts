/** The days on which a website has page views that are not those of the files: an import would count them twice. */
import { dayOfDate, utcDate } from "../../core/calendar/date.ts";
import { dayMs } from "../../core/hit.ts";
import { badInput } from "../../core/refusal.ts";
import type { Control } from "../control/control.ts";
import type { Row } from "./formats/format.ts";
import type { DaySpan } from "./options.ts";

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
  /** The number of the first of the file's own days on which new ones are: days west of UTC begin later. Infinity for none. */
  ownDay: number;
  /** The number of the last of them; -Infinity for none. */
  lastOwnDay: number;
}

export const noViews: Readonly<DayViews> = { taken: 0, imported: 0, ownDay: Infinity, lastOwnDay: -Infinity };

export interface TrackedDay extends Pick<Readonly<DayViews>, "ownDay" | "lastOwnDay"> {
  /** The first millisecond of the UTC day. */
  readonly timeMs: number;
}

/** Counts a page view of a file on its day. */
export function addView(
  days: Map<number, DayViews>,
  { timeMs, offsetMs }: Pick<Row, "timeMs" | "offsetMs">,
  isImported: boolean,
): void {
  const day = Math.floor(timeMs / dayMs);
  const views = days.get(day) ?? { ...noViews };
  days.set(day, views);
  views[isImported ? "imported" : "taken"]++;
  if (isImported) return;
  const ownDay = Math.floor((timeMs + offsetMs) / dayMs);
  views.ownDay = Math.min(views.ownDay, ownDay);
  views.lastOwnDay = Math.max(views.lastOwnDay, ownDay);
}

/**
 * Returns such UTC days, rising. `days`: what the files have, by the number of the UTC day. `isImported`: whether it has
 * been imported by now.
 */
export async function trackedDays(
  { pageviewsByDay }: Pick<Control, "pageviewsByDay">,
  hostname: string,
  days: ReadonlyMap<number, DayViews>,
  isImported: boolean,
): Promise<readonly TrackedDay[]> {
  const taken = [...days].flatMap(([day, { taken }]) => (taken > 0 ? [day] : []));
  const known = await Promise.all(
    spansOf(taken.sort((a, b) => a - b)).map(([first, last]) =>
      pageviewsByDay({ hostname, startMs: first * dayMs, endMs: (last + 1) * dayMs - 1 }),
    ),
  );
  return known.flat().flatMap(({ timeMs, pageviews }): TrackedDay[] => {
    const { taken, imported, ownDay, lastOwnDay } = days.get(timeMs / dayMs) ?? noViews;
    const isTracked = taken > 0 && pageviews > imported + (isImported ? taken : 0);
    return isTracked ? [{ timeMs, ownDay, lastOwnDay }] : [];
  });
}

/** A flag with a date, which is one of the file's own days. */
export interface LeavingOut {
  readonly flag: "from" | "until";
  readonly date: string;
}

/** Returns the flag that leaves the tracked days out, of which there are some. `days`: all that the files have, by the number of the UTC day. */
export function leavingOut(
  tracked: readonly TrackedDay[],
  days: ReadonlyMap<number, Readonly<DayViews>>,
): LeavingOut {
  const first = tracked.reduce((least, { ownDay }) => Math.min(least, ownDay), Infinity);
  const last = tracked.reduce((most, { lastOwnDay }) => Math.max(most, lastOwnDay), -Infinity);
  const hasBefore = days.values().some(({ ownDay }) => ownDay < first);
  const hasAfter = days.values().some(({ lastOwnDay }) => lastOwnDay > last);
  const isFrom = !hasBefore && hasAfter;
  return { flag: isFrom ? "from" : "until", date: utcDate(dayMs * (isFrom ? last + 1 : first)) };
}

/** Returns the first and the last UTC day of which page views were taken, such as 2026-03-14; undefined if none were. */
export function takenSpan(
  days: ReadonlyMap<number, DayViews>,
): readonly [first: string, last: string] | undefined {
  let [first, last] = [Infinity, -Infinity];
  for (const [day, { taken }] of days)
    if (taken > 0) [first, last] = [Math.min(first, day), Math.max(last, day)];
  return first > last ? undefined : [utcDate(first * dayMs), utcDate(last * dayMs)];
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
export function trackedText(
  days: readonly TrackedDay[],
  hostname: string,
  { flag, date }: LeavingOut,
): string {
  const named = days.slice(0, namedMax).map(({ timeMs }) => utcDate(timeMs));
  const more = days.length > namedMax ? `, … ${utcDate(days.at(-1)!.timeMs)}` : "";
  const subject = days.length === 1 ? "1 day has" : `${days.length} days have`;
  return (
    `${subject} page views of ${hostname} besides those of the files, and would count twice: ` +
    `${named.join(", ")}${more}. --${flag} ${date} takes what ${flag === "from" ? "came after" : "was before"}`
  );
}

/** Returns the days of an import as they were asked for; `prefix` stands before the names of the fields. */
export function daySpan(
  { from, until }: { readonly from: string | undefined; readonly until: string | undefined },
  prefix = "",
): DaySpan {
  return {
    fromDay: from === undefined ? undefined : parseDay(`${prefix}from`, from),
    untilDay: until === undefined ? undefined : parseDay(`${prefix}until`, until),
  };
}

/** Returns the number of a day, counted from 1970. Throws Refusal 400 naming the field. */
function parseDay(field: string, text: string): number {
  const day = dayOfDate(text);
  if (day === undefined) throw badInput(field, text, "a date such as 2026-11-20");
  return day;
}
