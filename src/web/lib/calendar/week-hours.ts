/** The figures of a period by weekday and hour of a zone: for each hour of the week, the average of such hours. */
import { dayMs, hourMs } from "../../../core/hit.ts";
import { shifted, utcMs } from "../../../core/calendar/date.ts";
import type { NamedInterval } from "../../../core/questions/answer.ts";
import { metricOf, type MetricName } from "../../../core/questions/metric.ts";
import type { NamedFigures } from "../../../core/questions/named-metric.ts";
import type { Span } from "./period.ts";
import { ownWeekStart, type Weekday } from "./week.ts";
import { dateIn, parseDate, startOfDate } from "./zone.ts";

/** A longer period is shown by its last weeks: the server answers 10,000 hours at once. */
const daysMax = 366;
export const weeksMax = 52;

export interface HoursSpan extends Span {
  /** Whether it is only the last weeks of the period. */
  readonly isCut: boolean;
}

/** Returns the part of a period whose hours are asked for. It ends with today: no hour after that is over. */
export function hoursSpan(period: Span, zone: string, nowMs: number): HoursSpan {
  const { startMs } = period;
  const today = dateIn(zone, nowMs);
  const endMs = Math.min(period.endMs, startOfDate(zone, shifted(today, 1)) - 1);
  if (startMs !== undefined && endMs - startMs <= daysMax * dayMs + hourMs)
    return { startMs, endMs, isCut: false };
  const first = shifted(dateIn(zone, endMs), 1 - 7 * weeksMax);
  return { startMs: startOfDate(zone, first), endMs, isCut: true };
}

/** One of the 168 hours of a week. */
export interface WeekHour {
  /** 1 is Monday, 7 is Sunday. */
  readonly weekday: Weekday;
  /** 0 to 23. */
  readonly hour: number;
  /** How many such hours of the period are over; none where the period has none. */
  readonly times: number;
  /** Undefined without a figure. */
  readonly value: number | undefined;
}

interface Asked {
  readonly name: MetricName;
  /** The metric by which hours are weighted whose figures do not add up, such as shares. */
  readonly weight: MetricName;
  /** The first instant that counts, and the one at which it is. */
  readonly fromMs: number;
  readonly nowMs: number;
}

/** The sums over the hours of one weekday and time. */
interface Sums {
  times: number;
  sum: number;
  weight: number;
}

/**
 * Returns the days of a week with their 24 hours each, from `weekStart` on. The local time is read from the dates, which
 * have the offset of their zone: an hour that clocks show twice counts twice, and one that is left out does not. Counts and
 * amounts are averaged over the hours, other figures over `weight`. The hour that it is is not over, and left out.
 */
export function weekHours(
  intervals: readonly NamedInterval[],
  { name, weight, fromMs, nowMs }: Asked,
  weekStart = ownWeekStart,
): readonly (readonly WeekHour[])[] {
  const isSum = addsUp(name);
  const sums = Array.from({ length: 7 * 24 }, (): Sums => ({ times: 0, sum: 0, weight: 0 }));
  for (const interval of intervals) {
    const startMs = Date.parse(interval.date);
    const own = sums[placeOf(interval.date)];
    if (own === undefined || startMs < fromMs || startMs + hourMs > nowMs) continue;
    own.times++;
    own.weight += isSum ? 1 : weightOf(interval, name, weight);
    own.sum += (interval[name] ?? 0) * (isSum ? 1 : weightOf(interval, name, weight));
  }
  return Array.from({ length: 7 }, (_, day) => {
    const weekday = (((weekStart - 1 + day) % 7) + 1) as Weekday;
    return sums.slice((weekday - 1) * 24, weekday * 24).map((own, hour) => ({
      weekday,
      hour,
      times: own.times,
      value: own.weight === 0 ? undefined : own.sum / own.weight,
    }));
  });
}

/** Whether a figure of several hours is the sum of theirs. */
export function addsUp(name: MetricName): boolean {
  const { format } = metricOf(name);
  return format === "count" || format === "amount";
}

/** An hour without the figure has no weight. */
function weightOf(figures: NamedFigures, name: MetricName, weight: MetricName): number {
  return figures[name] === undefined ? 0 : (figures[weight] ?? 0);
}

/** Returns the number of the hour in a week that begins on Monday; NaN for what is no date. */
function placeOf(date: string): number {
  const day = parseDate(date.slice(0, 10));
  if (day === undefined) return NaN;
  return ((new Date(utcMs(day)).getUTCDay() + 6) % 7) * 24 + Number(date.slice(11, 13));
}

/**
 * Returns the start of the first day that has visits, NaN without visits. After sums of another product it is the day on
 * which the website began to count itself.
 */
export function firstCounted(intervals: readonly NamedInterval[]): number {
  const isCounted = ({ visitors = 0, pageviews = 0 }: NamedFigures) => visitors > 0 || pageviews > 0;
  const day = intervals.find(isCounted)?.date.slice(0, 10);
  const first = intervals.find(({ date }) => day !== undefined && date.startsWith(day));
  return Date.parse(first?.date ?? "");
}

/** Returns the hour of the week with the highest figure; undefined without any. */
export function highestOf(week: readonly (readonly WeekHour[])[]): WeekHour | undefined {
  const known = week.flat().filter(({ value = 0 }) => value > 0);
  return known.reduce<WeekHour | undefined>(
    (best, one) => ((one.value ?? 0) > (best?.value ?? 0) ? one : best),
    undefined,
  );
}
