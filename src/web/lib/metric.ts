/** The dashboard's names and formats for the figures of each metric, by core's table. */
import {
  fieldOf,
  metricOf,
  rowMetrics,
  type Figures,
  type Format,
  type MetricName as AnyMetric,
} from "../../core/metric.ts";
import type { Totals } from "../../core/query.ts";
import { count, duration, percent, ratio } from "./format.ts";

const writers: Readonly<Record<Format, (value: number) => string>> = {
  count,
  ratio,
  percentage: percent,
  duration,
};

export interface Figure<F extends string = keyof Figures<AnyMetric>> {
  /** The field of a row that holds it. */
  readonly field: F;
  readonly label: string;
  readonly format: Format;
  readonly write: (value: number) => string;
  readonly lessIsBetter: boolean;
}

/** Returns a metric as a column of a list shows it. */
export function columnOf(name: AnyMetric): Figure {
  const { label, format, lessIsBetter = false } = metricOf(name);
  return { field: fieldOf(name), label, format, write: writers[format], lessIsBetter };
}

/** The metrics of totals, by their fields. */
export type MetricName = keyof Totals;

/** The metrics as tiles and the chart show them, in their order. */
export const figures = rowMetrics.summary.all.map((name) => {
  const { label, figureLabel = label } = metricOf(name);
  return { ...columnOf(name), label: figureLabel } as Figure<MetricName>;
});

export function figureOf(metric: MetricName): Figure<MetricName> {
  return figures.find(({ field }) => field === metric) as Figure<MetricName>;
}
