/** The metrics that a question can ask for by name. */
import {
  amountMetric,
  goalMetrics,
  metricOf,
  metrics,
  rowMetrics,
  type Measures,
  type MetricName,
  type RowKind,
  type RowMetrics,
} from "./metric.ts";

const ofSummary = [
  "visitors",
  "visits",
  "pageviews",
  "views_per_visit",
  "bounce_percentage",
  "time_total",
  "time_median",
  "time_per_visit",
  ...goalMetrics,
] as const;
const ofList = [
  ...ofSummary,
  "visitors_percentage",
  "visits_percentage",
  "pageviews_percentage",
  "duration_percentage",
] as const;

/** The metrics that only a question with a goal has. */
export const metricsOfGoal: ReadonlySet<string> = new Set([...goalMetrics, amountMetric]);

/** Returns these metrics, and the others that every row of a kind can have. */
function withOwn<N extends MetricName, K extends RowKind>(names: readonly N[], kind: K) {
  const { all }: RowMetrics = rowMetrics[kind];
  const others = all.filter((name) => !(names as readonly MetricName[]).includes(name));
  return [...names, ...others] as readonly (N | (typeof rowMetrics)[K]["all"][number])[];
}

/** By the kind of rows: the metrics that they can be asked for. */
export const namedMetrics = {
  list: withOwn([...ofList, amountMetric], "list"),
  pages: withOwn([...ofList, amountMetric], "pages"),
  time: withOwn(ofList, "time"),
  entries: [...rowMetrics.entries.all, ...goalMetrics, amountMetric],
  exits: [...rowMetrics.exits.all, "exit_percentage", ...goalMetrics, amountMetric],
  properties: [...rowMetrics.properties.all, "visits", "visits_percentage", ...goalMetrics, amountMetric],
  summary: withOwn([...ofSummary, amountMetric], "summary"),
} as const satisfies Readonly<Record<RowKind, readonly MetricName[]>>;

type NamedOf<K extends RowKind> = (typeof namedMetrics)[K][number];
type NeedsOf<N extends MetricName> = (typeof metrics)[N]["needs"][number];
type BaseOf<N extends MetricName> = (typeof metrics)[N] extends { readonly base: readonly (infer B)[] }
  ? B extends readonly (infer C)[]
    ? C
    : B
  : never;

/** The measures from which the figures of a row are computed, whichever it is asked for. */
export type NamedMeasures<K extends RowKind> = Pick<
  Measures,
  { [N in NamedOf<K>]: NeedsOf<N> | Extract<BaseOf<N>, keyof Measures> }[NamedOf<K>]
>;

/** Figures by the names of their metrics; those without a base are missing. */
export type NamedFigures = { readonly [M in MetricName]?: number };

const ofVisits: ReadonlySet<keyof Measures> = new Set(["visits", "timedVisits", "conversions", "amount"]);

/** The metrics that only a website with visits has. */
export const visitMetrics: ReadonlySet<MetricName> = new Set(
  (Object.keys(metrics) as MetricName[]).filter((name) =>
    metricOf(name).needs.some((need) => ofVisits.has(need)),
  ),
);

/** Returns the figures of these metrics by name, without those that have no base. */
export function namedFigures(names: readonly MetricName[], measures: Partial<Measures>): NamedFigures {
  const figures = names.flatMap((name) => {
    const { base, of } = metricOf(name);
    const isMissing = base?.some((of) => [of].flat().every((measure) => measures[measure] === 0));
    return isMissing ? [] : [[name, of(measures as Measures)] as const];
  });
  return Object.fromEntries(figures);
}
