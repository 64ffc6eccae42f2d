/** The metrics that a question can ask for by name. */
import { goalMetrics, metricOf, type Measures, type MetricName } from "./metric.ts";

/** The metrics that a list can be asked for by name, and those that a summary can. */
export const summaryMetrics = [
  "visitors",
  "visits",
  "pageviews",
  "views_per_visit",
  "bounce_percentage",
  "time_total",
  "time_median",
  "time_per_visit",
  ...goalMetrics,
] as const satisfies readonly MetricName[];
export const listMetrics: readonly MetricName[] = [
  ...summaryMetrics,
  "visitors_percentage",
  "visits_percentage",
  "pageviews_percentage",
  "duration_percentage",
];

/** Figures by the names of their metrics; those without a base are missing. */
export type NamedFigures = { readonly [M in MetricName]?: number };

/** The metrics that only a website with visits has. */
export const visitMetrics: ReadonlySet<MetricName> = new Set(
  listMetrics.filter((name) =>
    metricOf(name).needs.some((need) => need === "visits" || need === "conversions"),
  ),
);

/** Returns the figures of these metrics by name, without those that have no base. */
export function namedFigures(names: readonly MetricName[], measures: Measures): NamedFigures {
  const figures = names.flatMap((name) => {
    const { base, of } = metricOf(name);
    return base?.some((measure) => measures[measure] === 0) ? [] : [[name, of(measures)] as const];
  });
  return Object.fromEntries(figures);
}
