/**
 * The period that another one is compared with. A period of days is matched by weekday: 30 days are compared with the 30
 * that end 35 days earlier, and those a year ago are 52 weeks away. One of whole months is compared with whole months.
 */
import { daysBetween, shifted, type CalendarDate, type Dates } from "../../../core/calendar/date.ts";
import {
  cut,
  earlierDates,
  sameTimeOf,
  shiftBefore,
  wholeMinutes,
  type Shift,
} from "../../../core/calendar/period-before.ts";
import type { Period } from "../../../core/questions/query.ts";
import { datesBetween, datesOf, spanOf, spanOfDates, type PeriodChoice } from "./period.ts";
import { ownWeekStart } from "./week.ts";
import { clockIn, dateIn, instantAt, isoDate, parseDate } from "./zone.ts";
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
  readonly whole: Period;
  /** The part of it that corresponds to the gone part of the period: until the same time of day, if that is not over. */
  readonly sameTime: Period;
}

interface Compared {
  readonly choice: PeriodChoice;
  readonly comparison: Comparison;
  readonly zone: string;
  readonly nowMs: number;
  readonly weekStart?: typeof ownWeekStart;
}

const weeksOfYear = 52;
/** At most. */
const daysOfYear = 366;

/** Returns undefined for all time, which has nothing to compare with, and where nothing is compared. */
export function comparedSpans(compared: Compared): ComparedSpans | undefined {
  const { choice, comparison, zone, nowMs, weekStart = ownWeekStart } = compared;
  if (comparison.name === "none" || choice.name === "all") return undefined;
  const own = spanOf(choice, zone, nowMs, weekStart) as Period;
  const running = own.startMs <= nowMs && nowMs <= own.endMs;
  const today = dateIn(zone, nowMs);
  const dates = datesOf(choice, today, weekStart);
  if (dates === undefined) return comparedHours(own, comparison, zone, running ? nowMs : undefined);
  const isCustom = comparison.name === "custom";
  const shift = isCustom
    ? { days: daysBetween(comparison.from, dates.from), months: 0 }
    : shiftOf(dates, comparison);
  const whole = spanOfDates(isCustom ? comparison : earlierDates(dates, shift), zone);
  if (!running) return { whole, sameTime: whole };
  const now = { today, clockMs: clockIn(zone, nowMs), instantAt: instantAt.bind(undefined, zone) };
  return { whole, sameTime: sameTimeOf(whole, shift, now) };
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

/** Returns by how much the other period is earlier. A year is at least the period. */
function shiftOf(dates: NonNullable<ReturnType<typeof datesOf>>, { name }: Comparison): Shift {
  const { days, months } = shiftBefore(dates, dates.unit);
  if (name !== "year") return { days, months };
  return dates.unit === "months"
    ? { days, months: Math.max(12, months) }
    : { days: Math.max(7 * weeksOfYear, days), months };
}

/** Compares 24 hours with those at the same times of the clock, whole weeks earlier or from a date of one's choice on. */
function comparedHours(
  own: Period,
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
  return { whole, sameTime: cut(whole, earlier(runningMs, wholeMinutes(clockIn(zone, runningMs)))) };
}

/** Returns the first and the last date of a span. */
export function datesOfSpan({ startMs, endMs }: Period, zone: string): Dates {
  return { from: dateIn(zone, startMs), to: dateIn(zone, endMs) };
}
