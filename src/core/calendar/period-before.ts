/** The rule of what a period of dates is compared with, for the dashboard and `footfall stats` alike. */
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

/**
 * Returns the date of the earlier period that is to it as today is to the period itself. A month may lack the day: then the
 * whole of it is compared.
 */
export function sameDate(
  today: CalendarDate,
  { days, months }: Shift,
): { readonly date: CalendarDate; readonly isWhole: boolean } {
  const date = shifted(today, -days, -months);
  if (months === 0 || date.day === today.day) return { date, isWhole: false };
  return { date: shifted({ ...date, day: 1 }, -1), isWhole: true };
}
