/** The intervals of a chart in time: which have begun, whether the last of them is over, and their names. */
import { dayMs, hourMs, minuteMs } from "../../../core/hit.ts";
import { shifted } from "../../../core/calendar/date.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { dateFormat } from "../texts/format.ts";
import type { Span } from "./period.ts";
import { parseDate, startOfDate } from "./zone.ts";
import { locale as ownLocale } from "../texts/words.ts";

/** No interval takes so long: a month with a day for its changes of clocks. */
const longestMs = 32 * dayMs;

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
  /** Whether the last of them, or the part of it that counts, is not over yet. */
  readonly running: boolean;
}

/** `endMs`: the last millisecond of the period, which may end within an interval. */
export function courseOf<T extends { readonly date: string }>(
  intervals: readonly T[],
  interval: IntervalName,
  zone: string,
  nowMs: number,
  endMs = Infinity,
): Course<T> {
  const begun = intervals.filter(({ date }) => Date.parse(date) <= nowMs);
  const last = begun.at(-1);
  return { begun, running: last !== undefined && nowMs <= endMs && nowMs < endOf(last.date, interval, zone) };
}

/** Whether a span has only a part of an interval: it begins or ends within it. */
export function isPartOf(span: Span, date: string, interval: IntervalName, zone: string): boolean {
  const { startMs = 0, endMs } = span;
  const fromMs = Date.parse(date);
  // The end of an interval takes 0.1 ms to find, and few of a long course are near an end of the span.
  const isNear = (ms: number) => fromMs <= ms && ms < fromMs + longestMs;
  if (!isNear(startMs) && !isNear(endMs)) return false;
  const lastMs = endOf(date, interval, zone) - 1;
  // One of another span, which is shown until the next answer comes, lies outside.
  return fromMs < startMs !== lastMs < startMs || fromMs > endMs !== lastMs > endMs;
}

/** Returns how many days of an interval a span has, where it has only a part of it; 0 for a whole one. */
export function partDays(span: Span, date: string, interval: IntervalName, zone: string): number {
  if (!isPartOf(span, date, interval, zone)) return 0;
  const toMs = Math.min(endOf(date, interval, zone) - 1, span.endMs);
  return Math.round((toMs - Math.max(Date.parse(date), span.startMs ?? 0)) / dayMs);
}

/**
 * Names an interval in full by its start: Tue, 3 Nov 2026; the same with 14:00 – 15:00; November 2026. A week or month of
 * which the span has only a part is named by the days of that part, because no others count.
 */
export function namesOf(
  interval: IntervalName,
  zone: string,
  span: Span = { startMs: undefined, endMs: Infinity },
  locale = ownLocale,
): (date: string) => string {
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
  const zoned = dateFormat({ ...options.hour, timeZone: zone, timeZoneName: "short" }, locale);
  const days = dateFormat({ ...date, timeZone: zone }, locale);
  /** Returns whether clocks were set back by an hour at the end of this one, or at its beginning. */
  const isTwice = (fromMs: number, toMs: number) =>
    [toMs, 2 * fromMs - toMs].some((ms) => format.format(ms) === format.format(fromMs));
  return (start) => {
    const [fromMs, toMs] = [Date.parse(start), endOf(start, interval, zone)];
    // The name of an hour ends with the next hour, that of a week with its last day.
    if (interval === "hour") return (isTwice(fromMs, toMs) ? zoned : format).formatRange(fromMs, toMs);
    if (interval !== "week" && interval !== "month") return format.format(fromMs);
    if (isPartOf(span, start, interval, zone))
      return days.formatRange(Math.max(fromMs, span.startMs ?? 0), Math.min(toMs - 1, span.endMs));
    return interval === "week" ? format.formatRange(fromMs, toMs - 1) : format.format(fromMs);
  };
}
