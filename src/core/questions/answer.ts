/** The answers to questions: the rows of lists, the totals, goals, funnels, journeys and drivers. */
import type { ListedDimension } from "./dimension.ts";
import type { Figures, MetricName, RowFigures } from "./metric.ts";
import type { NamedFigures } from "./named-metric.ts";

/** The fields by which lists of values name their rows. */
export type NameField = ListedDimension["field"] | "name" | "value";

/** Whether the row sums up the values past a limit. */
type Other = { readonly other?: true };

/** The same figures in the period of `compare`; missing if the row has nothing there. */
interface WithPrevious<F> {
  readonly previous?: F;
}

/** A row has the one field of its dimension. */
export type ListRow = { readonly [F in ListedDimension["field"]]?: string } & RowFigures<"list" | "pages"> &
  Other &
  WithPrevious<RowFigures<"list" | "pages">>;
export type EntriesRow = { readonly path: string } & RowFigures<"entries" | "exits"> &
  Other &
  WithPrevious<RowFigures<"entries" | "exits">>;
export type TimeRow = { readonly path: string } & RowFigures<"time"> &
  Other &
  WithPrevious<RowFigures<"time">>;
/** `value` is present if the values of one name are listed. */
export type PropertyRow = { readonly name: string; readonly value?: string } & RowFigures<"properties"> &
  Other &
  WithPrevious<RowFigures<"properties">>;
/** A row of any list. */
export type AnyRow = { readonly [F in NameField]?: string } & AnyFigures & Other & WithPrevious<AnyFigures>;
type AnyFigures = Partial<Figures<MetricName>> & NamedFigures;

export type Totals = RowFigures<"summary">;

export interface IntervalTotals extends Totals {
  /** Start of the interval, RFC 3339 with the zone's offset. */
  readonly date: string;
}

export interface Summary {
  readonly current: Totals;
  readonly previous?: Totals;
  readonly interval?: readonly IntervalTotals[];
  /** Whether times are close to the right ones, and not exact. */
  readonly approximate?: true;
  /** The start of the months with rows, RFC 3339, if the answer is only of these. */
  readonly rows_from?: string;
  /** The end of the months whose sums another product gave, RFC 3339, if some are in the answer. */
  readonly imported_until?: string;
  /** When the website's first hit came, RFC 3339, if the period or the one that `compare_start` names begins earlier. */
  readonly recorded_from?: string;
}

type Reached = "approximate" | "rows_from" | "imported_until" | "recorded_from";

/** A summary with the metrics that were asked for by name. */
export interface NamedSummary extends Pick<Summary, Reached> {
  readonly current: NamedFigures;
  readonly previous?: NamedFigures;
  readonly interval?: readonly NamedInterval[];
  /** The first day of the sums that another product gave, RFC 3339, if some are in the answer. */
  readonly imported_from?: string;
}

export interface NamedInterval extends NamedFigures {
  /** Start of the interval, RFC 3339 with the zone's offset. */
  readonly date: string;
}

/** The figures of a goal. What has no base is missing. */
export interface GoalFigures {
  /** The visits that reached it, with a selected page view or event. */
  readonly visits: number;
  /** Their share of all visits of the selection. */
  readonly conversion_percentage?: number;
  /** How often it was reached. */
  readonly events: number;
  /** The sum of the property that the goal names; missing if none of its events has a number there. */
  readonly amount?: number;
}

export interface FunnelRow extends FunnelFigures, WithPrevious<FunnelFigures> {
  readonly step: string;
}

export interface FunnelFigures {
  /** The visits that did this step and all before it. */
  readonly visits: number;
  /** Their share of the visits at the step before; for the first step, their share of all selected visits. */
  readonly step_percentage?: number;
  /** Their share of all visits of the selection. */
  readonly total_percentage?: number;
}

export type JourneyRow = {
  readonly path: string;
  readonly stays: number;
  readonly stays_percentage: number;
} & Other;

/** A stay is a page view of the path with the reloads that follow it. Each has one page after and before it, or none. */
export interface Journeys {
  readonly stays: number;
  /** Direction `next`: the stays with which the visit ended so far. */
  readonly exits?: number;
  /** Direction `previous`: the stays with which the visit began. */
  readonly entries?: number;
  readonly pages: readonly JourneyRow[];
}

/** A value that made much of a difference. Differences have the sign of what changed, and two decimals. */
export interface Driver {
  /** The name by which filters select the value. */
  readonly dimension: ListedDimension["name"];
  /** The value as the list of the dimension has it. */
  readonly value: string;
  readonly current: number;
  readonly base: number;
  readonly difference: number;
  /** Its share of the whole difference. */
  readonly difference_percentage: number;
  /** Not given for the first driver. For others, the share of the first driver's difference that they have too. */
  readonly of_first_percentage?: number;
}

export interface Drivers {
  readonly current: number;
  /** The mean of the base's periods. Missing, with the difference, where there is no base. */
  readonly base?: number;
  readonly difference?: number;
  /** Whether the difference is more than what is to be expected of chance and of other weeks. */
  readonly stands_out: boolean;
  /** The periods of the base: start and end, RFC 3339. */
  readonly base_periods: readonly { readonly start: string; readonly end: string }[];
  readonly drivers: readonly Driver[];
}
