/** The periods that a person can pick, as milliseconds in a time zone, with the intervals that suit them. */
import { dayMs } from "../../../core/hit.ts";
import {
  daysBetween,
  shifted,
  utcMs,
  wholeMonths,
  type CalendarDate,
  type Dates,
} from "../../../core/calendar/date.ts";
import { unitOf, type CalendarUnit } from "../../../core/calendar/period-before.ts";
import type { IntervalName } from "../../../core/questions/query.ts";
import { dateFormat, dateTime } from "../texts/format.ts";
import { ownWeekStart, type Weekday } from "./week.ts";
import { dateIn, hourEnd, isoDate, shiftedWeekday, startOfDate } from "./zone.ts";
import { locale as ownLocale, t } from "../texts/words.ts";

interface NamedDates {
  readonly label: string;
  readonly unit: CalendarUnit;
  /** Returns the dates that it encloses; those of a unit that is not over go to its end. */
  readonly dates: (today: CalendarDate, weekStart: Weekday) => Dates;
}

function named(label: string, unit: CalendarUnit, dates: NamedDates["dates"]): NamedDates {
  return { label, unit, dates };
}

/** Returns this many days that end with today. */
function lastDays(count: number): NamedDates {
  return named(t("Last {n} days", { n: count }), "days", (today) => ({
    from: shifted(today, 1 - count),
    to: today,
  }));
}

/** Returns this many calendar months, which begin `before` months ago. */
function months(today: CalendarDate, before: number, count = 1): Dates {
  const from = shifted({ ...today, day: 1 }, 0, -before);
  return { from, to: shifted(from, -1, count) };
}

/** Returns the calendar week that began `before` weeks ago. */
function week(today: CalendarDate, weekStart: Weekday, before = 0): Dates {
  const from = shifted(shiftedWeekday(today, weekStart), -7 * before);
  return { from, to: shifted(from, 6) };
}

/** The periods whose dates follow from today; where two have the same dates, a step leads to the first of them. */
const namedDates = {
  today: named(t("Today"), "days", (today) => ({ from: today, to: today })),
  yesterday: named(t("Yesterday"), "days", (today) => ({ from: shifted(today, -1), to: shifted(today, -1) })),
  "7d": lastDays(7),
  "28d": lastDays(28),
  "30d": lastDays(30),
  "90d": lastDays(90),
  this_week: named(t("This week"), "days", (today, weekStart) => week(today, weekStart)),
  last_week: named(t("Last week"), "days", (today, weekStart) => week(today, weekStart, 1)),
  this_month: named(t("This month"), "months", (today) => months(today, 0)),
  last_month: named(t("Last month"), "months", (today) => months(today, 1)),
  this_year: named(t("This year"), "months", (today) => months(today, today.month - 1, 12)),
  last_year: named(t("Last year"), "months", (today) => months(today, today.month + 11, 12)),
  "12mo": named(t("Last 12 months"), "months", (today) => months(today, 11, 12)),
} satisfies Readonly<Record<string, NamedDates>>;

type DatesName = keyof typeof namedDates;
const datesNames = Object.keys(namedDates) as DatesName[];

export const periodNames = [...datesNames, "24h", "all", "custom"] as const;
export type PeriodName = (typeof periodNames)[number];

export const periodLabels: Readonly<Record<PeriodName, string>> = {
  ...(Object.fromEntries(datesNames.map((name) => [name, namedDates[name].label])) as Record<
    DatesName,
    string
  >),
  "24h": t("Last 24 hours"),
  all: t("All time"),
  custom: t("Custom period"),
};

export type PeriodChoice =
  | { readonly name: DatesName | "all" }
  /** The 24 hours up to an instant in milliseconds since 1970, or without one to the end of this hour. */
  | { readonly name: "24h"; readonly untilMs?: number }
  | ({ readonly name: "custom" } & Dates);

export interface Span {
  /** Milliseconds since 1970; undefined means from the first hit on. */
  readonly startMs: number | undefined;
  /**
   * Inclusive: the last millisecond of the last day. This holds for today too, so that the address stays the same all
   * day.
   */
  readonly endMs: number;
}

/** Returns the dates of a period, and how it is counted; undefined for hours, and for all time. */
export function datesOf(
  choice: PeriodChoice,
  today: CalendarDate,
  weekStart = ownWeekStart,
): (Dates & { readonly unit: CalendarUnit }) | undefined {
  if (choice.name === "all" || choice.name === "24h") return undefined;
  if (choice.name === "custom") return { from: choice.from, to: choice.to, unit: unitOf(choice) };
  const { unit, dates } = namedDates[choice.name];
  return { ...dates(today, weekStart), unit };
}

export function spanOf(choice: PeriodChoice, zone: string, nowMs: number, weekStart = ownWeekStart): Span {
  if (choice.name === "24h") {
    const endMs = choice.untilMs ?? hourEnd(zone, nowMs);
    return { startMs: endMs - dayMs, endMs: endMs - 1 };
  }
  if (choice.name === "custom") return spanOfDates(choice, zone);
  const today = dateIn(zone, nowMs);
  const dates = datesOf(choice, today, weekStart);
  return dates === undefined
    ? { startMs: undefined, endMs: startOfDate(zone, shifted(today, 1)) - 1 }
    : spanOfDates(dates, zone);
}

export function spanOfDates({ from, to }: Dates, zone: string): Span & { readonly startMs: number } {
  return { startMs: startOfDate(zone, from), endMs: startOfDate(zone, shifted(to, 1)) - 1 };
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
  minute: t("Minutes"),
  hour: t("Hours"),
  day: t("Days"),
  week: t("Weeks"),
  month: t("Months"),
};

/** Returns the dates from the earlier to the later of two. */
export function datesBetween(a: CalendarDate, b: CalendarDate): Dates {
  return isoDate(a) <= isoDate(b) ? { from: a, to: b } : { from: b, to: a };
}

/** Returns the period from the earlier to the later of two dates. */
export function customPeriod(a: CalendarDate, b: CalendarDate): PeriodChoice {
  return { name: "custom", ...datesBetween(a, b) };
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
  if (choice.name === "24h") return steppedHours(choice.untilMs, hourEnd(zone, nowMs), direction);
  const today = dateIn(zone, nowMs);
  const dates = datesOf(choice, today, ownWeekStart);
  if (dates === undefined) return undefined;
  const next = steppedDates(dates, direction);
  if (isoDate(next.from) > isoDate(today)) return undefined;
  const names = choice.name === "custom" ? datesNames : [partners[choice.name] ?? choice.name];
  return nameOf(next, today, ownWeekStart, names) ?? customPeriod(next.from, next.to);
}

/** `endMs`: the end of the hour that it is. */
function steppedHours(
  untilMs: number | undefined,
  endMs: number,
  direction: -1 | 1,
): PeriodChoice | undefined {
  if (untilMs === undefined && direction === 1) return undefined;
  const nextMs = (untilMs ?? endMs) + direction * dayMs;
  return nextMs < endMs ? { name: "24h", untilMs: nextMs } : { name: "24h" };
}

function steppedDates(dates: Dates & { readonly unit: CalendarUnit }, direction: -1 | 1): Dates {
  const { from, to, unit } = dates;
  if (unit === "days") {
    const days = direction * (daysBetween(from, to) + 1);
    return { from: shifted(from, days), to: shifted(to, days) };
  }
  const count = wholeMonths(dates);
  const first = shifted(from, 0, direction * count);
  return { from: first, to: shifted(first, -1, count) };
}

/** The names to which steps from a named period may lead, where it is not its own. */
const partners: Readonly<Partial<Record<PeriodName, DatesName>>> = {
  today: "yesterday",
  yesterday: "today",
  this_week: "last_week",
  last_week: "this_week",
  this_month: "last_month",
  last_month: "this_month",
  this_year: "last_year",
  last_year: "this_year",
};
/** Returns the first of `names` that has these dates. */
function nameOf(
  { from, to }: Dates,
  today: CalendarDate,
  weekStart: Weekday,
  names: readonly PeriodName[],
): PeriodChoice | undefined {
  const name = datesNames
    .filter((known) => names.includes(known))
    .find((known) => {
      const dates = namedDates[known].dates(today, weekStart);
      return isoDate(dates.from) === isoDate(from) && isoDate(dates.to) === isoDate(to);
    });
  return name && { name };
}

/** Returns dates in words, such as 30 Dec 2025 – 2 Jan 2026. */
export function datesText({ from, to }: Dates, locale = ownLocale): string {
  const format = dateFormat({ dateStyle: "medium", timeZone: "UTC" }, locale);
  return isoDate(from) === isoDate(to)
    ? format.format(utcMs(from))
    : format.formatRange(utcMs(from), utcMs(to));
}

/** Returns the period in words, for a heading. */
export function periodText(choice: PeriodChoice, zone: string, locale = ownLocale): string {
  if (choice.name === "custom") return datesText(choice, locale);
  if (choice.name !== "24h" || choice.untilMs === undefined) return periodLabels[choice.name];
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: zone } as const;
  return t("24 hours to {time}", { time: dateTime(choice.untilMs, options) });
}
