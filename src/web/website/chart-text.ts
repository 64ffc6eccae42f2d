/** A chart in words: its ticks, its whole in a sentence, one interval for the tooltip and for a screen reader. */
import type { IntervalName, IntervalTotals } from "../../core/query.ts";
import { changeText, duration, percent, shortCount } from "../lib/format.ts";
import { metricFormats, metricUnits } from "../lib/metric.ts";
import { metricLabels, metricNames, type MetricName } from "../lib/question.ts";
import type { Unit } from "../lib/scale.ts";
import type { Course } from "../lib/intervals.ts";

/** Round values need fewer signs: 10K, 5m. */
export function tickText(unit: Unit, value: number): string {
  if (unit === "duration") return duration(value).replace(/ 00[ms]$/, "");
  return unit === "count" ? shortCount(value) : percent(value);
}

export interface Told {
  readonly course: Course<IntervalTotals>;
  readonly metric: MetricName;
  readonly interval: IntervalName;
  readonly nameOf: (date: string) => string;
}

/** Visitors by day, 1 to 3 November: 12 in all, highest 9 on the 2nd, lowest 0 on the 1st. */
export function chartSummary({ course, metric, interval, nameOf }: Told): string {
  const title = `${metricLabels[metric]} by ${interval}`;
  const { begun } = course;
  const [first, last] = [begun[0], begun.at(-1)];
  if (first === undefined || last === undefined) return `${title}: nothing has been counted yet.`;
  const highest = begun.reduce((best, row) => (row[metric] > best[metric] ? row : best));
  // What may still grow is not low.
  const over = course.running && begun.length > 1 ? begun.slice(0, -1) : begun;
  const lowest = over.reduce((best, row) => (row[metric] < best[metric] ? row : best));
  const total = begun.reduce((sum, row) => sum + row[metric], 0);
  const at = (row: IntervalTotals) => `${metricFormats[metric](row[metric])} (${nameOf(row.date)})`;
  const parts = [
    // Neither shares nor medians add up.
    ...(metricUnits[metric] === "count" ? [`${metricFormats[metric](total)} in all`] : []),
    ...(begun.every((row) => row[metric] === highest[metric])
      ? [`always ${metricFormats[metric](highest[metric])}`]
      : [`highest ${at(highest)}`, `lowest ${at(lowest)}`]),
  ];
  const period = first === last ? nameOf(first.date) : `${nameOf(first.date)} to ${nameOf(last.date)}`;
  return `${title}, ${period}: ${parts.join(", ")}.`;
}

export interface PointText {
  readonly name: string;
  /** The metric of the chart is the current one. */
  readonly figures: readonly { readonly label: string; readonly text: string; readonly current: boolean }[];
  /** Of the interval at the same place of the period before. A part of one has no change from a whole one. */
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
  const soFar = course.running && index === course.begun.length - 1;
  return {
    name: nameOf(row.date) + (soFar ? ", so far" : ""),
    figures: metricNames.map((name) => ({
      label: metricLabels[name],
      text: metricFormats[name](row[name]),
      current: name === metric,
    })),
    before: earlier && {
      name: nameOf(earlier.date),
      text: metricFormats[metric](earlier[metric]),
      change: soFar ? undefined : changeText(row[metric], earlier[metric], metricUnits[metric] === "percent"),
    },
  };
}

/** As it is spoken: what the chart shows comes first. */
export function spoken({ name, figures, before }: PointText): string {
  const ordered = [...figures].sort((a, b) => Number(b.current) - Number(a.current));
  const now = `${name}: ${ordered.map(({ label, text }) => `${label} ${text}`).join(", ")}.`;
  if (before === undefined) return now;
  const change = before.change === undefined ? "" : `, change ${before.change}`;
  return `${now} Before, ${before.name}: ${before.text}${change}.`;
}
