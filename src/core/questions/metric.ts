/**
 * The table of metrics: how each is computed from measures, its name, and the format of its figures. A second table
 * says which metrics the rows of each answer have. Rows, their types and schemas, CSV, and the dashboard's columns,
 * tiles and chart all follow from the two tables. What each means is said in core/definition.ts.
 */

/** The sums over a group of page views. */
export interface PageViewCounts {
  /** Visitors as the question defines them. */
  readonly visitors: number;
  readonly pageviews: number;
  /** Page views whose time is known. */
  readonly known: number;
  /** First loads of unique visitors whose time is known. */
  readonly uniqueKnown: number;
  /** The loads of `uniqueKnown` that were left at once. */
  readonly bounced: number;
  /** Milliseconds on the page views of the group. */
  readonly totalMs: number;
}

/**
 * Everything that metrics are computed from. The names with `all…` are sums over all selected page views or events,
 * whatever their group.
 */
export interface Measures extends PageViewCounts {
  readonly allVisitors: number;
  readonly allPageviews: number;
  readonly allTotalMs: number;
  /** The quartiles of the known times of the group, in whole milliseconds. */
  readonly lowerQuartileMs: number;
  readonly medianMs: number;
  readonly upperQuartileMs: number;
  readonly events: number;
  readonly allEvents: number;
  /** Distinct visits with a selected page view or event. */
  readonly visits: number;
  readonly allVisits: number;
  /** Distinct visits with a selected page view whose time is known. */
  readonly timedVisits: number;
  /** Page views of the group without a visit, and the milliseconds on them. */
  readonly outsideViews: number;
  readonly outsideMs: number;
  /** Distinct visits that reached the goal. */
  readonly conversions: number;
  /** The sum of the amounts with which the visits of the group reached the goal. */
  readonly amount: number;
  /** 0 if that is not known, else 1. */
  readonly amounts: number;
}

/**
 * A count is an integer, a ratio has two decimals, a percentage is from 0 to 100 with two decimals, a duration is in whole
 * milliseconds, an amount is any number, in a unit that the owner knows.
 */
export type Format = "count" | "ratio" | "percentage" | "duration" | "amount";

interface Words {
  /** The field in rows of the API, if it differs from the metric's name. */
  readonly field?: string;
  /** The label above a column of the dashboard. */
  readonly label: string;
  /** The label above a tile and a chart, if it differs. */
  readonly figureLabel?: string;
  readonly format: Format;
  readonly lessIsBetter?: true;
  /** Whether it is a share of all that the filters select. */
  readonly isOfAll?: true;
  /** Without these measures it means nothing, and is missing by name. Of a list among them one is enough. */
  readonly base?: readonly (keyof Measures | readonly (keyof Measures)[])[];
}

export interface Metric extends Words {
  /** The measures that it is computed from. */
  readonly needs: readonly (keyof Measures)[];
  readonly of: (measures: Measures) => number;
}

function metric<M extends keyof Measures, const W extends Words>(
  needs: readonly M[],
  of: (measures: Pick<Measures, M>) => number,
  words: W,
) {
  return { needs, of, ...words };
}

/** Sums that were imported have times, though that of no single page view is known. */
const hasTime = ["known", "totalMs"] as const;

export const metrics = {
  visitors: metric(["visitors"], ({ visitors }) => visitors, { label: "Visitors", format: "count" }),
  visitors_percentage: metric(
    ["visitors", "allVisitors"],
    ({ visitors, allVisitors }) => percent(visitors, allVisitors),
    { label: "% of visitors", format: "percentage", isOfAll: true, base: ["allVisitors"] },
  ),
  pageviews: metric(["pageviews"], ({ pageviews }) => pageviews, { label: "Page views", format: "count" }),
  pageviews_percentage: metric(
    ["pageviews", "allPageviews"],
    ({ pageviews, allPageviews }) => percent(pageviews, allPageviews),
    { label: "% of views", format: "percentage", isOfAll: true, base: ["allPageviews"] },
  ),
  bounce_percentage: metric(
    ["bounced", "uniqueKnown"],
    ({ bounced, uniqueKnown }) => percent(bounced, uniqueKnown),
    { label: "Bounce rate", format: "percentage", lessIsBetter: true, base: ["uniqueKnown"] },
  ),
  time_total: metric(["totalMs"], ({ totalMs }) => totalMs, {
    field: "duration",
    label: "Total time",
    format: "duration",
    base: [hasTime],
  }),
  duration_percentage: metric(
    ["totalMs", "allTotalMs"],
    ({ totalMs, allTotalMs }) => percent(totalMs, allTotalMs),
    { label: "% of time", format: "percentage", isOfAll: true, base: ["allTotalMs"] },
  ),
  time_median: metric(["medianMs"], ({ medianMs }) => medianMs, {
    field: "duration",
    label: "Median time",
    figureLabel: "Time on page",
    format: "duration",
    base: ["known"],
  }),
  duration_lower_quartile: metric(["lowerQuartileMs"], ({ lowerQuartileMs }) => lowerQuartileMs, {
    label: "Lower quartile",
    format: "duration",
  }),
  duration_upper_quartile: metric(["upperQuartileMs"], ({ upperQuartileMs }) => upperQuartileMs, {
    label: "Upper quartile",
    format: "duration",
  }),
  events: metric(["events"], ({ events }) => events, { label: "Events", format: "count" }),
  events_percentage: metric(["events", "allEvents"], ({ events, allEvents }) => percent(events, allEvents), {
    label: "% of events",
    format: "percentage",
    isOfAll: true,
  }),
  visits: metric(["visits"], ({ visits }) => visits, { label: "Visits", format: "count" }),
  visits_percentage: metric(["visits", "allVisits"], ({ visits, allVisits }) => percent(visits, allVisits), {
    label: "% of visits",
    format: "percentage",
    isOfAll: true,
    base: ["allVisits"],
  }),
  views_per_visit: metric(
    ["pageviews", "outsideViews", "visits"],
    ({ pageviews, outsideViews, visits }) =>
      visits === 0 ? 0 : Math.round(((pageviews - outsideViews) * 100) / visits) / 100,
    { label: "Views per visit", format: "ratio", base: ["visits"] },
  ),
  time_per_visit: metric(
    ["totalMs", "outsideMs", "timedVisits"],
    ({ totalMs, outsideMs, timedVisits }) =>
      timedVisits === 0 ? 0 : Math.round((totalMs - outsideMs) / timedVisits),
    { label: "Time per visit", format: "duration", base: [hasTime, "timedVisits"] },
  ),
  exit_percentage: metric(["visits", "pageviews"], ({ visits, pageviews }) => percent(visits, pageviews), {
    label: "Exit rate",
    format: "percentage",
    lessIsBetter: true,
    base: ["pageviews"],
  }),
  conversions: metric(["conversions"], (own) => own.conversions, { label: "Conversions", format: "count" }),
  conversion_percentage: metric(
    ["conversions", "visits"],
    ({ conversions, visits }) => percent(conversions, visits),
    { label: "Conversion rate", format: "percentage", base: ["visits"] },
  ),
  amount: metric(["amount"], ({ amount }) => amount, {
    label: "Amount",
    format: "amount",
    base: ["amounts"],
  }),
} satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** The metrics of a kind of row, in the order of its fields. */
export interface RowMetrics {
  readonly all: readonly MetricName[];
  /** The metrics that every row has, even with `summary=true`. */
  readonly always: readonly MetricName[];
}

export const rowMetrics = {
  /** The lists of dimensions that have no entry of their own here. */
  list: {
    all: ["visitors", "visitors_percentage", "bounce_percentage", "time_total"],
    always: ["visitors", "visitors_percentage"],
  },
  pages: {
    all: [
      "visitors",
      "visitors_percentage",
      "pageviews",
      "pageviews_percentage",
      "bounce_percentage",
      "time_total",
    ],
    always: ["visitors", "visitors_percentage"],
  },
  time: {
    all: [
      "time_median",
      "duration_percentage",
      "visitors",
      "duration_lower_quartile",
      "duration_upper_quartile",
    ],
    always: ["time_median", "duration_percentage"],
  },
  entries: {
    all: ["visits", "visits_percentage", "bounce_percentage"],
    always: ["visits", "visits_percentage"],
  },
  exits: { all: ["visits", "visits_percentage"], always: ["visits", "visits_percentage"] },
  properties: { all: ["events", "events_percentage"], always: ["events", "events_percentage"] },
  /** The totals of a period and of its intervals. */
  summary: {
    all: ["visitors", "pageviews", "bounce_percentage", "time_median"],
    always: ["visitors", "pageviews", "bounce_percentage", "time_median"],
  },
} as const satisfies Readonly<Record<string, RowMetrics>>;

export type RowKind = keyof typeof rowMetrics;

/** Returns the kind of the rows of a list. */
export function rowKindOf<L extends string>(list: L): L extends RowKind ? L : "list" {
  return (list in rowMetrics ? list : "list") as L extends RowKind ? L : "list";
}

type FieldOf<N extends MetricName> = (typeof metrics)[N] extends { readonly field: infer F extends string }
  ? F
  : N;
type NeedsOf<N extends MetricName> = (typeof metrics)[N]["needs"][number];
type AllOf<K extends RowKind> = (typeof rowMetrics)[K]["all"][number];
type AlwaysOf<K extends RowKind> = (typeof rowMetrics)[K]["always"][number];

/** The fields of metrics, with their figures. */
export type Figures<N extends MetricName> = { readonly [M in N as FieldOf<M>]: number };
/** The figures of one kind of row. */
export type RowFigures<K extends RowKind> = Figures<AlwaysOf<K>> & Partial<Figures<AllOf<K>>>;
/** The measures from which all figures of a row are computed. */
export type RowMeasures<K extends RowKind> = Pick<Measures, NeedsOf<AllOf<K>>>;

/** The metrics that only a question with a goal has; it has them beside the fields of the interface too. */
export const goalMetrics = ["conversions", "conversion_percentage"] as const satisfies readonly MetricName[];

/** One more, which is asked for by name only: not every goal sums up amounts. */
export const amountMetric = "amount" as const satisfies MetricName;

export function metricOf(name: MetricName): Metric {
  return metrics[name];
}

export function fieldOf(name: MetricName): keyof Figures<MetricName> {
  return (metricOf(name).field ?? name) as keyof Figures<MetricName>;
}

/**
 * Returns the measures from which the figures of a row are computed. `brief`: only for the metrics that every row has.
 */
export function measuresOf(kind: RowKind, brief: boolean): readonly (keyof Measures)[] {
  const { all, always }: RowMetrics = rowMetrics[kind];
  return (brief ? always : all).flatMap((name) => metricOf(name).needs);
}

/** Returns the figures of a row. `brief`: only those that every row has. */
export function rowFigures<K extends RowKind>(
  kind: K,
  measures: RowMeasures<K>,
  brief = false,
): RowFigures<K> {
  const { all, always }: RowMetrics = rowMetrics[kind];
  const figures: Record<string, unknown> = {};
  // The type of `measures` ensures that everything the row's metrics need is present.
  for (const name of brief ? always : all) {
    const { field = name, of } = metricOf(name);
    figures[field] = of(measures as Measures);
  }
  return figures as RowFigures<K>;
}

/** Returns the amount that a goal brought each time on average, to the hundredth; undefined without amounts. */
export function averageAmount(goal: {
  readonly amount?: number;
  readonly events: number;
}): number | undefined {
  const { amount, events } = goal;
  return amount === undefined || events === 0 ? undefined : Math.round((amount / events) * 100) / 100;
}

/** Returns 0 to 100 with two decimals, halves rounded up; 0 if `whole` is 0. */
export function percent(part: number, whole: number): number {
  // The division comes last: a share computed first would be rounded already, and 201 of 20,000 give 1 % instead of
  // 1.01.
  return whole === 0 ? 0 : Math.min(100, Math.round((part * 10_000) / whole) / 100);
}
