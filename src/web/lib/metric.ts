/** The dashboard's names and formats for the figures of each metric, by core's table. */
import {
  fieldOf,
  goalMetrics,
  metricOf,
  type Figures,
  type Format,
  type MetricName,
} from "../../core/metric.ts";
import { count, duration, narrowCount, percent, ratio } from "./format.ts";
import { translated } from "./words.ts";

const writers: Readonly<Record<Format, (value: number) => string>> = {
  count,
  ratio,
  percentage: percent,
  duration,
};

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
    return narrow && format === "count" ? narrowCount(value) : writers[format](value);
  };
  return { name, label, format, write, lessIsBetter };
}

export interface Column extends Figure {
  /** The field of a row that holds it. */
  readonly field: keyof Figures<MetricName> | MetricName;
}

/** Returns a metric as a column of a list shows it. `named`: whether the list is asked for metrics by name. */
export function columnOf(name: MetricName, named = false): Column {
  return { ...figure(name, translated(metricOf(name).label)), field: named ? name : fieldOf(name) };
}

/** It decides which figures are shown: whether the website tells visits apart, and the goal that is chosen. */
export interface Shown {
  readonly visits: boolean;
  readonly goal?: number | undefined;
}

/** The metrics as tiles and the chart show them, in their order. */
const ofVisits = [
  "visitors",
  "visits",
  "views_per_visit",
  "pageviews",
  "bounce_percentage",
  "time_per_visit",
] as const;
const tiles = {
  goal: [...ofVisits, ...goalMetrics],
  visits: ofVisits,
  views: ["visitors", "pageviews", "bounce_percentage", "time_median"],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;

/** The metrics of totals. */
export type FigureName = (typeof tiles)[keyof typeof tiles][number];

const tileOf = (name: FigureName) => {
  const { label, figureLabel = label } = metricOf(name);
  return figure(name, translated(figureLabel));
};
const figures = {
  goal: tiles.goal.map(tileOf),
  visits: tiles.visits.map(tileOf),
  views: tiles.views.map(tileOf),
};

export function figuresOf({ visits, goal }: Shown): readonly Figure<FigureName>[] {
  if (!visits) return figures.views;
  return goal === undefined ? figures.visits : figures.goal;
}

/** Returns the figure that a link names, by the metric or by its field in rows; undefined if none is shown by it. */
export function figureNamed(shown: Shown, text: string | null): Figure<FigureName> | undefined {
  return figuresOf(shown).find(({ name }) => name === text || fieldOf(name) === text);
}
