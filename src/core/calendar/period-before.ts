/** The rule of what a period of dates is compared with, for the dashboard and `footfall stats` alike. */
import { dayMs, minuteMs } from "../hit.ts";
import type { Period } from "../questions/query.ts";
import { daysBetween, shifted, wholeMonths, type CalendarDate, type Dates } from "./date.ts";

/** The calendar unit by which a period steps and is compared. */
export type CalendarUnit = "days" | "months";

/** By how much another period is earlier: whole weeks, so that weekdays are compared with their like, or whole months. */
export interface Shift {
  readonly days: number;
  readonly months: number;
}

/** Returns the unit of dates that somebody chose: months where they enclose some. */
export function unitOf(dates: Dates): CalendarUnit {
  return wholeMonths(dates) === 0 ? "days" : "months";
}

/** Returns the shift to the latest period before that is compared with this one. Dates of the unit "months" enclose some. */
export function shiftBefore(dates: Dates, unit: CalendarUnit): Shift {
  return unit === "months"
    ? { days: 0, months: wholeMonths(dates) }
    : { days: 7 * Math.ceil((daysBetween(dates.from, dates.to) + 1) / 7), months: 0 };
}

/** Returns the dates of the period that is earlier by a shift: as many days, or as many months. */
export function earlierDates(dates: Dates, { days, months }: Shift): Dates {
  const from = shifted(dates.from, -days, -months);
  return months === 0
    ? { from, to: shifted(dates.to, -days) }
    : { from, to: shifted(from, -1, wholeMonths(dates)) };
}

/** The moment that it is, by the clocks of a time zone. */
export interface LocalNow {
  readonly today: CalendarDate;
  /** The time as milliseconds after midnight. */
  readonly clockMs: number;
  /**
   * Returns when the clocks first show a time of a date, in milliseconds since 1970; for a time that is left out where they
   * are set forward, the instant of that change.
   */
  readonly instantAt: (date: CalendarDate, clockMs: number) => number;
}

/** Returns the part of an earlier period, `whole`, that corresponds to the gone part of a period that goes on. */
export function sameTimeOf(whole: Period, shift: Shift, { today, clockMs, instantAt }: LocalNow): Period {
  const { date, isWhole } = sameDate(today, shift);
  return cut(whole, instantAt(date, isWhole ? dayMs : wholeMinutes(clockMs)));
}

/** Returns a time in whole minutes, so that questions of one minute are equal. */
export function wholeMinutes(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs;
}

/** Returns the span up to an instant. The first minute of a period is compared with a minute. */
export function cut({ startMs, endMs }: Period, beforeMs: number): Period {
  return { startMs, endMs: Math.min(endMs, Math.max(beforeMs, startMs + minuteMs) - 1) };
}

/**
 * Returns the date of the earlier period that is to it as today is to the period itself. A month may lack the day: then the
 * whole of it is compared.
 */
function sameDate(
  today: CalendarDate,
  { days, months }: Shift,
): { readonly date: CalendarDate; readonly isWhole: boolean } {
  const date = shifted(today, -days, -months);
  if (months === 0 || date.day === today.day) return { date, isWhole: false };
  return { date: shifted({ ...date, day: 1 }, -1), isWhole: true };
}
