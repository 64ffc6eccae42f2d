/** A chart in words: its ticks, a summary in one sentence, and one interval for the tooltip and for a screen reader. */
import type { Format } from "../../../core/metric.ts";
import type { IntervalName, IntervalTotals } from "../../../core/query.ts";
import { changeText, duration, percent, shortCount } from "../../lib/format.ts";
import { figureOf, figures, type MetricName } from "../../lib/metric.ts";
import type { Course } from "../../lib/calendar/intervals.ts";

/** Returns the text of a tick. Round values need fewer characters: 10K, 5m. */
export function tickText(format: Format, value: number): string {
  if (format === "duration") return duration(value).replace(/ 00[ms]$/, "");
  return format === "count" ? shortCount(value) : percent(value);
}

export interface Told {
  readonly course: Course<IntervalTotals>;
  readonly metric: MetricName;
  readonly interval: IntervalName;
  readonly nameOf: (date: string) => string;
}

/**
 * Returns a summary such as: Visitors by day, 1 to 3 November: 12 in all, highest 9 on the 2nd, lowest 0 on the 1st.
 */
export function chartSummary({ course, metric, interval, nameOf }: Told): string {
  const { label, format, write } = figureOf(metric);
  const title = `${label} by ${interval}`;
  const { begun } = course;
  const [first, last] = [begun[0], begun.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing has been counted yet.`;
  const highest = begun.reduce((best, row) => (row[metric] > best[metric] ? row : best));
  // The last interval may still grow, so it cannot be the lowest.
  const over = course.running && begun.length > 1 ? begun.slice(0, -1) : begun;
  const lowest = over.reduce((best, row) => (row[metric] < best[metric] ? row : best));
  const total = begun.reduce((sum, row) => sum + row[metric], 0);
  const at = (row: IntervalTotals) => `${write(row[metric])} (${nameOf(row.date)})`;
  const parts = [
    // Neither shares nor medians add up.
    ...(format === "count" ? [`${write(total)} in all`] : []),
    ...(begun.every((row) => row[metric] === highest[metric])
      ? [`always ${write(highest[metric])}`]
      : [`highest ${at(highest)}`, `lowest ${at(lowest)}`]),
  ];
  const period = first === last ? nameOf(first.date) : `${nameOf(first.date)} to ${nameOf(last.date)}`;
  return `${title}, ${period}: ${parts.join(", ")}.`;
}

export interface PointText {
  readonly name: string;
  /** The figures of the interval; `current` marks the chart's metric. */
  readonly figures: readonly { readonly label: string; readonly text: string; readonly current: boolean }[];
  /** The same interval of the period before. An interval that is not over has no change from a whole one. */
  readonly before:
    { readonly name: string; readonly text: string; readonly change: string | undefined } | undefined;
}

export function pointText(
  told: Told,
  index: number,
  earlier: IntervalTotals | undefined,
): PointText | undefined {
  const { course, metric, nameOf } = told;
  const row = course.begun[index];
  if (row === undefined) return undefined;
  const { format, write } = figureOf(metric);
  const soFar = course.running && index === course.begun.length - 1;
  return {
    name: nameOf(row.date) + (soFar ? ", so far" : ""),
    figures: figures.map(({ field, label, write: writeField }) => ({
      label,
      text: writeField(row[field]),
      current: field === metric,
    })),
    before: earlier && {
      name: nameOf(earlier.date),
      text: write(earlier[metric]),
      change: soFar ? undefined : changeText(row[metric], earlier[metric], format === "percentage"),
    },
  };
}

/** Returns the text that is spoken: the chart's metric comes first. */
export function spoken({ name, figures, before }: PointText): string {
  const ordered = [...figures].sort((a, b) => Number(b.current) - Number(a.current));
  const now = `${name}: ${ordered.map(({ label, text }) => `${label} ${text}`).join(", ")}.`;
  if (before === undefined) return now;
  const change = before.change === undefined ? "" : `, change ${before.change}`;
  return `${now} Before, ${before.name}: ${before.text}${change}.`;
}
