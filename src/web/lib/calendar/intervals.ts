/** The intervals of a chart in time: which have begun, whether the last of them is over, and their names. */
import { shifted } from "../../../core/calendar/date.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { dateFormat } from "../texts/format.ts";
import { parseDate, startOfDate } from "./zone.ts";
import { locale as ownLocale } from "../texts/words.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Returns the first instant after an interval, in milliseconds since 1970. `date`: its start, RFC 3339 with offset. */
export function endOf(date: string, interval: IntervalName, zone: string): number {
  if (interval === "minute") return Date.parse(date) + minuteMs;
  if (interval === "hour") return Date.parse(date) + hourMs;
  const first = parseDate(date.slice(0, 10));
  if (first === undefined) return NaN;
  const next = { day: shifted(first, 1), week: shifted(first, 7), month: shifted(first, 0, 1) }[interval];
  return startOfDate(zone, next);
}

export interface Course<T> {
  /**
   * The intervals that have begun. A period goes to the end of its last day, and intervals still to come do not count
   * as zeros.
   */
  readonly begun: readonly T[];
  /** Whether the last of them is not over yet. */
  readonly running: boolean;
}

export function courseOf<T extends { readonly date: string }>(
  intervals: readonly T[],
  interval: IntervalName,
  zone: string,
  nowMs: number,
): Course<T> {
  const begun = intervals.filter(({ date }) => Date.parse(date) <= nowMs);
  const last = begun.at(-1);
  return { begun, running: last !== undefined && endOf(last.date, interval, zone) > nowMs };
}

/** Names an interval in full by its start: Tue, 3 Nov 2026; the same with 14:00 – 15:00; November 2026. */
export function namesOf(interval: IntervalName, zone: string, locale = ownLocale): (date: string) => string {
  const date = { day: "numeric", month: "short", year: "numeric" } as const;
  const day = { ...date, weekday: "short" } as const;
  const time = { hour: "2-digit", minute: "2-digit" } as const;
  const options: Readonly<Record<IntervalName, Intl.DateTimeFormatOptions>> = {
    minute: { ...day, ...time },
    hour: { ...day, ...time },
    day,
    week: date,
    month: { month: "long", year: "numeric" },
  };
  const format = dateFormat({ ...options[interval], timeZone: zone }, locale);
  if (interval !== "hour" && interval !== "week") return (start) => format.format(Date.parse(start));
  // The name of a week ends with its last day, that of an hour with the next hour.
  const last = interval === "week" ? 1 : 0;
  return (start) => format.formatRange(Date.parse(start), endOf(start, interval, zone) - last);
}
