/**
 * The period that another one is compared with. A period of days is matched by weekday: 30 days are compared with the 30
 * that end 35 days earlier, and those a year ago are 52 weeks away. One of whole months is compared with whole months.
 */
import { datesBetween, datesOf, spanOf, spanOfDates, wholeMonths } from "./period.ts";
import type { Dates, PeriodChoice, Span } from "./period.ts";
import { ownWeekStart } from "./week.ts";
import {
  clockIn,
  dateIn,
  daysBetween,
  instantAt,
  isoDate,
  parseDate,
  shifted,
  type CalendarDate,
} from "./zone.ts";
import { t } from "../texts/words.ts";

export const comparisonNames = ["previous", "year", "custom", "none"] as const;
export type ComparisonName = (typeof comparisonNames)[number];

export const comparisonLabels: Readonly<Record<ComparisonName, string>> = {
  previous: t("Period before"),
  year: t("A year ago"),
  custom: t("Other dates"),
  none: t("Nothing"),
};

export type Comparison =
  { readonly name: Exclude<ComparisonName, "custom"> } | ({ readonly name: "custom" } & Dates);

/** The comparison of a question that says nothing of it. */
export const usualComparison: Comparison = { name: "previous" };

/** Reads a comparison from an address. */
export function comparisonOf(search: URLSearchParams): Comparison {
  const name = comparisonNames.find((known) => known === search.get("compare")) ?? usualComparison.name;
  if (name !== "custom") return { name };
  const from = parseDate(search.get("compare_from") ?? "");
  const to = parseDate(search.get("compare_to") ?? "");
  return from === undefined || to === undefined
    ? usualComparison
    : { name: "custom", ...datesBetween(from, to) };
}

/** Returns the parameters by which an address says a comparison. */
export function comparisonPairs(comparison: Comparison): [string, string][] {
  if (comparison.name === usualComparison.name) return [];
  const pairs: [string, string][] = [["compare", comparison.name]];
  if (comparison.name === "custom")
    pairs.push(["compare_from", isoDate(comparison.from)], ["compare_to", isoDate(comparison.to)]);
  return pairs;
}

export interface ComparedSpans {
  /** The whole of the other period. */
  readonly whole: Span & { readonly startMs: number };
  /** The part of it that corresponds to the gone part of the period: until the same time of day, if that is not over. */
  readonly sameTime: Span & { readonly startMs: number };
}

interface Compared {
  readonly choice: PeriodChoice;
  readonly comparison: Comparison;
  readonly zone: string;
  readonly nowMs: number;
  readonly weekStart?: typeof ownWeekStart;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const weeksOfYear = 52;
/** At most. */
const daysOfYear = 366;

/** Returns undefined for all time, which has nothing to compare with, and where nothing is compared. */
export function comparedSpans(compared: Compared): ComparedSpans | undefined {
  const { choice, comparison, zone, nowMs, weekStart = ownWeekStart } = compared;
  if (comparison.name === "none" || choice.name === "all") return undefined;
  const own = spanOf(choice, zone, nowMs, weekStart) as ComparedSpans["whole"];
  const running = own.startMs <= nowMs && nowMs <= own.endMs;
  const today = dateIn(zone, nowMs);
  const dates = datesOf(choice, today, weekStart);
  if (dates === undefined) return comparedHours(own, comparison, zone, running ? nowMs : undefined);
  const other = otherDates(dates, comparison);
  const whole = spanOfDates(other, zone);
  if (!running) return { whole, sameTime: whole };
  const until = sameDate(dates, other, today, comparison);
  const cutMs = instantAt(zone, until.date, until.isWhole ? dayMs : clockMinutes(zone, nowMs));
  return { whole, sameTime: cut(whole, cutMs) };
}

/** Returns the time of the clock in whole minutes, so that questions of one minute are equal. */
function clockMinutes(zone: string, nowMs: number): number {
  return Math.floor(clockIn(zone, nowMs) / minuteMs) * minuteMs;
}

/** Returns the span up to an instant. The first minute of a period is compared with a minute. */
function cut(whole: ComparedSpans["whole"], beforeMs: number): ComparedSpans["whole"] {
  const lastMs = Math.max(beforeMs, whole.startMs + minuteMs) - 1;
  return { startMs: whole.startMs, endMs: Math.min(whole.endMs, lastMs) };
}

/** Returns the dates of the other period. */
function otherDates(dates: NonNullable<ReturnType<typeof datesOf>>, comparison: Comparison): Dates {
  if (comparison.name === "custom") return { from: comparison.from, to: comparison.to };
  const shift = shiftOf(dates, comparison);
  const from = shifted(dates.from, -shift.days, -shift.months);
  return dates.unit === "months"
    ? { from, to: shifted(from, -1, wholeMonths(dates)) }
    : { from, to: shifted(dates.to, -shift.days) };
}

/** Whether the other period is earlier by whole weeks. */
export function isByWeeks(choice: PeriodChoice, { name }: Comparison, today: CalendarDate): boolean {
  const isShifted = choice.name !== "all" && (name === "previous" || name === "year");
  return isShifted && datesOf(choice, today)?.unit !== "months";
}

/** Whether a period is another one a year earlier: one that is longer would reach into itself. */
export function hasYearAgo(choice: PeriodChoice, today: CalendarDate, weekStart = ownWeekStart): boolean {
  const dates = datesOf(choice, today, weekStart);
  return dates === undefined || daysBetween(dates.from, dates.to) < daysOfYear;
}

/** Returns by how much the other period is earlier: by whole weeks, or by whole months. A year is at least the period. */
function shiftOf(
  dates: NonNullable<ReturnType<typeof datesOf>>,
  { name }: Comparison,
): { readonly days: number; readonly months: number } {
  if (dates.unit === "months") {
    const months = wholeMonths(dates);
    return { days: 0, months: name === "year" ? Math.max(12, months) : months };
  }
  const weeks = Math.ceil((daysBetween(dates.from, dates.to) + 1) / 7);
  return { days: 7 * (name === "year" ? Math.max(weeksOfYear, weeks) : weeks), months: 0 };
}

/**
 * Returns the date of the other period that is to it as today is to the period itself. A month may lack the day: then the
 * whole of it is compared.
 */
function sameDate(
  dates: NonNullable<ReturnType<typeof datesOf>>,
  other: Dates,
  today: CalendarDate,
  comparison: Comparison,
): { readonly date: CalendarDate; readonly isWhole: boolean } {
  if (comparison.name === "custom" || dates.unit === "days")
    return { date: shifted(other.from, daysBetween(dates.from, today)), isWhole: false };
  const { months } = shiftOf(dates, comparison);
  const date = shifted(today, 0, -months);
  if (date.day === today.day) return { date, isWhole: false };
  return { date: shifted({ ...date, day: 1 }, -1), isWhole: true };
}

/** Compares 24 hours with those at the same times of the clock, whole weeks earlier or from a date of one's choice on. */
function comparedHours(
  own: ComparedSpans["whole"],
  comparison: Comparison,
  zone: string,
  runningMs: number | undefined,
): ComparedSpans {
  const days =
    comparison.name === "custom"
      ? daysBetween(comparison.from, dateIn(zone, own.startMs))
      : 7 * (comparison.name === "year" ? weeksOfYear : 1);
  const earlier = (ms: number, clockMs = clockIn(zone, ms)) =>
    instantAt(zone, shifted(dateIn(zone, ms), -days), clockMs);
  const whole = { startMs: earlier(own.startMs), endMs: earlier(own.endMs + 1) - 1 };
  if (runningMs === undefined) return { whole, sameTime: whole };
  return { whole, sameTime: cut(whole, earlier(runningMs, clockMinutes(zone, runningMs))) };
}

/** Returns the first and the last date of a span. */
export function datesOfSpan({ startMs, endMs }: ComparedSpans["whole"], zone: string): Dates {
  return { from: dateIn(zone, startMs), to: dateIn(zone, endMs) };
}
