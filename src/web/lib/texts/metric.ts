/** The dashboard's names and formats for the figures of each metric, by core's table. */
import {
  amountMetric,
  fieldOf,
  metricOf,
  type Format,
  type MetricName,
} from "../../../core/questions/metric.ts";
import { totalMetrics, type Shown } from "../../../core/questions/shown-metric.ts";
import { narrowCount, writers } from "./format.ts";
import { translated } from "./words.ts";

/** Stands for a figure that is missing. */
export const noFigure = "–";

export interface Figure<N extends MetricName = MetricName> {
  readonly name: N;
  readonly label: string;
  readonly format: Format;
  /** Writes a value in full, or as a narrow window has room for it. */
  readonly write: (value: number | undefined, narrow?: boolean) => string;
  readonly lessIsBetter: boolean;
}

function figure<N extends MetricName>(name: N, label: string): Figure<N> {
  const { format, lessIsBetter = false } = metricOf(name);
  const write = (value: number | undefined, narrow = false) => {
    if (value === undefined) return noFigure;
    // A narrow window has no room for cents.
    if (narrow && (format === "count" || format === "amount")) return narrowCount(Math.round(value));
    return writers[format](value);
  };
  return { name, label, format, write, lessIsBetter };
}

/** The metrics that are close to the right figure where an answer is not exact: of totals and pages by time, of other lists. */
const closeTimes: ReadonlySet<MetricName> = new Set([
  "time_median",
  "duration_lower_quartile",
  "duration_upper_quartile",
  "views_per_visit",
  "time_per_visit",
]);
const closeVisits: ReadonlySet<MetricName> = new Set([
  "visits",
  "visits_percentage",
  "views_per_visit",
  "time_per_visit",
]);

/** Returns the text of a figure in an answer that is not exact: with a "~" where it is close to the right one. */
export function closeText({ name }: Figure, list: string, text: string): string {
  const close = list === "summary" || list === "time" ? closeTimes : closeVisits;
  return close.has(name) && text !== noFigure ? `~${text}` : text;
}

/** Returns a metric as a column of a list shows it. */
export function columnOf(name: MetricName): Figure {
  return figure(name, translated(metricOf(name).label));
}

/** The metrics of totals. */
export type FigureName = (typeof totalMetrics)[keyof typeof totalMetrics][number] | "amount";

const tileOf = (name: FigureName) => {
  const { label, figureLabel = label } = metricOf(name);
  return figure(name, translated(figureLabel));
};
const figures = {
  amount: [...totalMetrics.goal, amountMetric].map(tileOf),
  goal: totalMetrics.goal.map(tileOf),
  visits: totalMetrics.visits.map(tileOf),
  views: totalMetrics.views.map(tileOf),
};

export function figuresOf({ visits, goal, amount }: Shown): readonly Figure<FigureName>[] {
  if (!visits) return figures.views;
  return goal === undefined ? figures.visits : amount ? figures.amount : figures.goal;
}

/** Returns the figure that a link names, by the metric or by its field in rows; undefined if none is shown by it. */
export function figureNamed(shown: Shown, text: string | null): Figure<FigureName> | undefined {
  return figuresOf(shown).find(({ name }) => name === text || fieldOf(name) === text);
}
