/** The periods that a person can pick, as milliseconds in a time zone, with the intervals that suit them. */
import type { IntervalName } from "../../../core/query.ts";
import { dateIn, isoDate, shifted, startOfDate, type CalendarDate } from "./zone.ts";

export const periodNames = ["today", "7d", "30d", "12mo", "all", "custom"] as const;
export type PeriodName = (typeof periodNames)[number];

export const periodLabels: Readonly<Record<PeriodName, string>> = {
  today: "Today",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  "12mo": "Last 12 months",
  all: "All time",
  custom: "Custom period",
};

export type PeriodChoice =
  | { readonly name: Exclude<PeriodName, "custom"> }
  /** Both dates are inclusive. */
  | { readonly name: "custom"; readonly from: CalendarDate; readonly to: CalendarDate };

export interface Span {
  /** Milliseconds since 1970; undefined means from the first hit on. */
  readonly startMs: number | undefined;
  /**
   * Inclusive: the last millisecond of the last day. This holds for today too, so that the address stays the same all
   * day.
   */
  readonly endMs: number;
}

const dayMs = 86_400_000;

export function spanOf(choice: PeriodChoice, zone: string, nowMs: number): Span {
  const today = dateIn(zone, nowMs);
  const first = firstDate(choice, today);
  const last = choice.name === "custom" ? choice.to : today;
  return {
    startMs: first && startOfDate(zone, first),
    endMs: startOfDate(zone, shifted(last, 1)) - 1,
  };
}

function firstDate(choice: PeriodChoice, today: CalendarDate): CalendarDate | undefined {
  switch (choice.name) {
    case "today":
      return today;
    case "7d":
      return shifted(today, -6);
    case "30d":
      return shifted(today, -29);
    case "12mo":
      return shifted({ ...today, day: 1 }, 0, -11);
    case "custom":
      return choice.from;
    case "all":
      return undefined;
  }
}

/** Returns the intervals that give a chart of a period neither too few nor too many points; the suggested one first. */
export function intervalsFor({ startMs, endMs }: Span): readonly IntervalName[] {
  const days = startMs === undefined ? Infinity : (endMs - startMs) / dayMs;
  if (days <= 1.1) return ["hour", "minute"];
  if (days <= 14) return ["day", "hour"];
  if (days <= 62) return ["day", "week", "hour"];
  if (days <= 186) return ["week", "day", "month"];
  return ["month", "week", "day"];
}

export const intervalLabels: Readonly<Record<IntervalName, string>> = {
  minute: "Minutes",
  hour: "Hours",
  day: "Days",
  week: "Weeks",
  month: "Months",
};

/** Returns the period from the earlier to the later of two dates. */
export function customPeriod(a: CalendarDate, b: CalendarDate): PeriodChoice {
  const [from, to] = isoDate(a) <= isoDate(b) ? [a, b] : [b, a];
  return { name: "custom", from, to };
}

/**
 * Returns the period of the same length before (-1) or after (1): whole months move by months, others by days. It has
 * its name if it has one. Returns undefined if there is none: before and after all time, and for periods wholly in the
 * future.
 */
export function stepped(
  choice: PeriodChoice,
  zone: string,
  nowMs: number,
  direction: -1 | 1,
): PeriodChoice | undefined {
  const today = dateIn(zone, nowMs);
  const from = firstDate(choice, today);
  if (from === undefined) return undefined;
  // A period that starts on the first day of a month counts as whole months, though the last is not over yet.
  const to = choice.name === "custom" ? choice.to : choice.name === "12mo" ? lastOfMonth(today) : today;
  const months = wholeMonths(from, to);
  const days = (utcMs(to) - utcMs(from)) / dayMs + 1;
  const first = months === 0 ? shifted(from, direction * days) : shifted(from, 0, direction * months);
  const last = months === 0 ? shifted(to, direction * days) : shifted(first, -1, months);
  if (utcMs(first) > utcMs(today)) return undefined;
  return named(first, last, today) ?? customPeriod(first, last);
}

function utcMs({ year, month, day }: CalendarDate): number {
  return Date.UTC(year, month - 1, day);
}

function lastOfMonth({ year, month }: CalendarDate): CalendarDate {
  return shifted({ year, month, day: 1 }, -1, 1);
}

/** Returns how many calendar months the dates enclose exactly; 0 if they cut one. */
function wholeMonths(from: CalendarDate, to: CalendarDate): number {
  if (from.day !== 1 || to.day !== lastOfMonth(to).day) return 0;
  return (to.year - from.year) * 12 + to.month - from.month + 1;
}

function named(from: CalendarDate, to: CalendarDate, today: CalendarDate): PeriodChoice | undefined {
  const name = (["today", "7d", "30d", "12mo"] as const).find((name) => {
    const last = name === "12mo" ? lastOfMonth(today) : today;
    const first = firstDate({ name }, today) as CalendarDate;
    return isoDate(first) === isoDate(from) && isoDate(last) === isoDate(to);
  });
  return name && { name };
}

/** Returns the period in words, for a heading. */
export function periodText(choice: PeriodChoice, locale?: string): string {
  if (choice.name !== "custom") return periodLabels[choice.name];
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  return isoDate(choice.from) === isoDate(choice.to)
    ? format.format(utcMs(choice.from))
    : format.formatRange(utcMs(choice.from), utcMs(choice.to));
}
