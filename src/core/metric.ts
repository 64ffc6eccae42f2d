/**
 * The one table of metrics: how each is made of what was measured, what it is called and how its figures are written;
 * then which of them the rows of each answer have. Rows, their types and schemas, CSV, and the dashboard's columns,
 * tiles and chart follow from the two.
 */
import type { ListName } from "./dimension.ts";

/** The sums over a group of page views. */
export interface PageViewCounts {
  /** As the question defines them. */
  readonly visitors: number;
  readonly pageviews: number;
  /** Page views whose time is known. */
  readonly known: number;
  /** First loads of unique visitors whose time is known. */
  readonly uniqueKnown: number;
  /** Those of them that were left at once. */
  readonly bounced: number;
  /** Milliseconds on the page views of the group. */
  readonly totalMs: number;
}

/** All that metrics are made of. Those of `all…` are of all selected page views or events, whatever their group. */
export interface Measures extends PageViewCounts {
  readonly allVisitors: number;
  readonly allPageviews: number;
  readonly allTotalMs: number;
  /** Quartiles of the known times of the group, whole milliseconds. */
  readonly lowerQuartileMs: number;
  readonly medianMs: number;
  readonly upperQuartileMs: number;
  readonly events: number;
  readonly allEvents: number;
}

/** A count is an integer, a percentage from 0 to 100 with two decimals, a duration in whole milliseconds. */
export type Format = "count" | "percentage" | "duration";

interface Words {
  /** Field in rows of the interface, if it is not the name. */
  readonly field?: string;
  /** Above a column of the dashboard. */
  readonly label: string;
  /** Above a tile and a chart, if it is another there. */
  readonly figureLabel?: string;
  readonly format: Format;
  /** For the OpenAPI document. */
  readonly description?: string;
  readonly lessIsBetter?: true;
}

export interface Metric extends Words {
  /** The sums that it is computed from. */
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

export const metrics = {
  visitors: metric(["visitors"], ({ visitors }) => visitors, { label: "Visitors", format: "count" }),
  visitors_percentage: metric(
    ["visitors", "allVisitors"],
    ({ visitors, allVisitors }) => percent(visitors, allVisitors),
    { label: "% of visitors", format: "percentage" },
  ),
  pageviews: metric(["pageviews"], ({ pageviews }) => pageviews, { label: "Page views", format: "count" }),
  pageviews_percentage: metric(
    ["pageviews", "allPageviews"],
    ({ pageviews, allPageviews }) => percent(pageviews, allPageviews),
    { label: "% of views", format: "percentage" },
  ),
  bounce_percentage: metric(
    ["bounced", "uniqueKnown"],
    ({ bounced, uniqueKnown }) => percent(bounced, uniqueKnown),
    {
      label: "Bounce rate",
      format: "percentage",
      lessIsBetter: true,
    },
  ),
  time_total: metric(["totalMs"], ({ totalMs }) => totalMs, {
    field: "duration",
    label: "Total time",
    format: "duration",
    description: "Total time spent, milliseconds",
  }),
  duration_percentage: metric(
    ["totalMs", "allTotalMs"],
    ({ totalMs, allTotalMs }) => percent(totalMs, allTotalMs),
    { label: "% of time", format: "percentage" },
  ),
  time_median: metric(["medianMs"], ({ medianMs }) => medianMs, {
    field: "duration",
    label: "Median time",
    figureLabel: "Time on page",
    format: "duration",
    description: "Median, milliseconds",
  }),
  duration_lower_quartile: metric(["lowerQuartileMs"], ({ lowerQuartileMs }) => lowerQuartileMs, {
    label: "Lower quartile",
    format: "duration",
    description: "Milliseconds",
  }),
  duration_upper_quartile: metric(["upperQuartileMs"], ({ upperQuartileMs }) => upperQuartileMs, {
    label: "Upper quartile",
    format: "duration",
    description: "Milliseconds",
  }),
  events: metric(["events"], ({ events }) => events, { label: "Events", format: "count" }),
  events_percentage: metric(["events", "allEvents"], ({ events, allEvents }) => percent(events, allEvents), {
    label: "% of events",
    format: "percentage",
  }),
} satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof metrics;

/** The metrics of a kind of row, in the order of its fields. */
export interface RowMetrics {
  readonly all: readonly MetricName[];
  /** Those that every row has, also with `summary=true`. */
  readonly always: readonly MetricName[];
}

export const rowMetrics = {
  /** The lists of dimensions that have no row of their own here. */
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
  properties: { all: ["events", "events_percentage"], always: ["events", "events_percentage"] },
  /** Totals of a period and of its intervals. */
  summary: {
    all: ["visitors", "pageviews", "bounce_percentage", "time_median"],
    always: ["visitors", "pageviews", "bounce_percentage", "time_median"],
  },
} as const satisfies Readonly<Record<string, RowMetrics>>;

export type RowKind = keyof typeof rowMetrics;

/** The kind of the rows of a list. */
export function rowKindOf<L extends ListName | RowKind>(list: L): L extends RowKind ? L : "list" {
  return (list in rowMetrics ? list : "list") as L extends RowKind ? L : "list";
}

type FieldOf<N extends MetricName> = (typeof metrics)[N] extends { readonly field: infer F extends string }
  ? F
  : N;
type NeedsOf<N extends MetricName> = (typeof metrics)[N]["needs"][number];
type AllOf<K extends RowKind> = (typeof rowMetrics)[K]["all"][number];
type AlwaysOf<K extends RowKind> = (typeof rowMetrics)[K]["always"][number];

/** Fields of metrics with their figures. */
export type Figures<N extends MetricName> = { readonly [M in N as FieldOf<M>]: number };
/** Those of a row. */
export type RowFigures<K extends RowKind> = Figures<AlwaysOf<K>> & Partial<Figures<AllOf<K>>>;
/** The sums that all figures of a row are computed from. */
export type RowMeasures<K extends RowKind> = Pick<Measures, NeedsOf<AllOf<K>>>;

export function metricOf(name: MetricName): Metric {
  return metrics[name];
}

export function fieldOf(name: MetricName): keyof Figures<MetricName> {
  return (metricOf(name).field ?? name) as keyof Figures<MetricName>;
}

/** The sums that the figures of a row are computed from; `brief`: of those that every row has. */
export function measuresOf(kind: RowKind, brief: boolean): readonly (keyof Measures)[] {
  const { all, always }: RowMetrics = rowMetrics[kind];
  return (brief ? always : all).flatMap((name) => metricOf(name).needs);
}

/** Adds its figures to a row; `brief`: only those that every row has. */
export function addFigures<K extends RowKind, R extends object>(
  row: R,
  kind: K,
  measures: RowMeasures<K>,
  brief = false,
): R & RowFigures<K> {
  const { all, always }: RowMetrics = rowMetrics[kind];
  const figures = row as Record<string, unknown>;
  // What the metrics of the row need is there: its type says so.
  for (const name of brief ? always : all) {
    const { field = name, of } = metricOf(name);
    figures[field] = of(measures as Measures);
  }
  return row as R & RowFigures<K>;
}

/** 0 to 100, two decimals, halves up; 0 of nothing. */
export function percent(part: number, whole: number): number {
  // Divided last: a share would have been rounded already, and 201 of 20,000 be 1 % instead of 1.01.
  return whole === 0 ? 0 : Math.min(100, Math.round((part * 10_000) / whole) / 100);
}
