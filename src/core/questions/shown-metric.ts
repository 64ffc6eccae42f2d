/** The metrics that people are shown: of totals, and of each list with all its columns. Dashboard and export have the same. */
import {
  amountMetric,
  goalMetrics,
  rowKindOf,
  rowMetrics,
  type MetricName,
  type RowMetrics,
} from "./metric.ts";

/** It decides which metrics are shown: whether the website tells visits apart, and the goal that is chosen. */
export interface Shown {
  readonly visits: boolean;
  readonly goal?: number | undefined;
  /** Whether the goal sums up amounts, as far as that is known. */
  readonly amount?: boolean | undefined;
}

/** The metrics as tiles and the chart show them, in their order. */
const totalsOfVisits = [
  "visitors",
  "visits",
  "views_per_visit",
  "pageviews",
  "bounce_percentage",
  "time_per_visit",
] as const;
export const totalMetrics = {
  goal: [...totalsOfVisits, ...goalMetrics],
  visits: totalsOfVisits,
  views: ["visitors", "pageviews", "bounce_percentage", "time_median"],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;

/** The columns of lists where visits are told apart, by the kind of their rows. */
const columnsOfVisits: Readonly<Partial<Record<string, readonly MetricName[]>>> = {
  list: [
    "visitors",
    "visitors_percentage",
    "visits",
    "views_per_visit",
    "bounce_percentage",
    "time_per_visit",
  ],
  pages: [
    "visitors",
    "visitors_percentage",
    "visits",
    "pageviews",
    "pageviews_percentage",
    "bounce_percentage",
    "time_total",
  ],
  exits: ["visits", "visits_percentage", "exit_percentage"],
};

interface ListColumns {
  /** All columns of a list. */
  readonly all: readonly MetricName[];
  /** The columns that a goal adds. */
  readonly ofGoal: readonly MetricName[];
}

/** Returns whether the rows of a list can have the amounts of a goal. */
export function hasAmounts(list: string): boolean {
  return list !== "time";
}

/** Returns the columns that people are shown of a list, in their order. */
export function listColumns(list: string, { visits, goal, amount }: Shown): ListColumns {
  const kind = rowKindOf(list);
  const { all }: RowMetrics = rowMetrics[kind];
  const ofGoal =
    goal === undefined ? [] : amount && hasAmounts(list) ? [...goalMetrics, amountMetric] : goalMetrics;
  return { all: [...((visits ? columnsOfVisits[kind] : undefined) ?? all), ...ofGoal], ofGoal };
}
