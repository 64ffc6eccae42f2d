/** Dates of the calendar, which know no time zone. Browsers count with them too: Temporal is not in every one yet. */
import { dayMs } from "../hit.ts";

export interface CalendarDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

/** The dates from `from` to `to`, both inclusive. */
export interface Dates {
  readonly from: CalendarDate;
  readonly to: CalendarDate;
}

/** Returns midnight of a date as if it were in UTC. */
export function utcMs({ year, month, day }: CalendarDate): number {
  return Date.UTC(year, month - 1, day);
}

/** Returns how many days the second date is after the first. */
export function daysBetween(from: CalendarDate, to: CalendarDate): number {
  return Math.round((utcMs(to) - utcMs(from)) / dayMs);
}

export function lastOfMonth({ year, month }: CalendarDate): CalendarDate {
  return shifted({ year, month, day: 1 }, -1, 1);
}

/** Months and days may be out of range, as in `Date.UTC`. */
export function shifted({ year, month, day }: CalendarDate, days: number, months = 0): CalendarDate {
  const date = new Date(Date.UTC(year, month - 1 + months, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** Returns how many calendar months the dates enclose exactly; 0 if they cut one. */
export function wholeMonths({ from, to }: Dates): number {
  if (from.day !== 1 || to.day !== lastOfMonth(to).day) return 0;
  return (to.year - from.year) * 12 + to.month - from.month + 1;
}

/** Returns the UTC day of a time, counted from 1970. */
export function utcDay(ms: number): number {
  return Math.floor(ms / dayMs);
}

/** Returns the UTC date of a time, such as 2026-03-01. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Returns the number of a UTC day, as utcDay; undefined for a text that is no date of the calendar, such as 2026-02-30. */
export function dayOfDate(text: string): number | undefined {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : NaN;
  // 30 February would be taken as 2 March.
  return !Number.isNaN(ms) && utcDate(ms) === text ? utcDay(ms) : undefined;
}
