/**
 * A question about one website as plain, frozen values, and the rows of its answer. It is parsed once from text and
 * never validated again.
 */
import type { ListedDimension, ListName } from "./dimension.ts";
import type { ExportFormat, ExportKind, ExportPlace } from "./exported.ts";
import type { FilterName } from "./stored-dimension.ts";
import type { Goal, Target } from "./website/goal.ts";
import type { Figures, MetricName, RowFigures } from "./metric.ts";
import type { NamedFigures } from "./named-metric.ts";
import type { OperatorName } from "./operator.ts";

export interface Filter {
  readonly name: FilterName;
  readonly operator: OperatorName;
  /** One operand, or any number for an operator that takes a list; as sent, with its case. */
  readonly operands: readonly string[];
}

/** Both ends are inclusive, in whole milliseconds since 1970; ±Infinity for an open end. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Selection {
  readonly period: Period;
  /** A row has to pass all of them. */
  readonly filters: readonly Filter[];
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export const limitMax = 5_000;
export const offsetMax = 5_000;

/** A question may ask what its rows or totals were in another period too, under the same filters. */
export interface Compared {
  readonly compare?: Period | undefined;
}

/** The options of questions about visits. */
export interface ByVisit {
  /** Whether sources, visitors and bounces are those of visits instead of hits. */
  readonly by?: "visit" | undefined;
  /** The filters that goals and steps have to pass where `by` has the others choose visits: those of a link. */
  readonly heldTo?: readonly Filter[];
  /** The metrics that rows have, by name; without a base they are missing. undefined: the fields of the interface. */
  readonly metrics?: readonly MetricName[] | undefined;
  /** The goal whose conversions rows have. */
  readonly goal?: Target | undefined;
  /** Now, which decides whether a visit is over, in milliseconds since 1970; given with `by`. */
  readonly nowMs?: number | undefined;
}

export interface ListQuery extends Selection, Page, Compared, ByVisit {
  readonly list: ListName;
  /** Whether rows have only the dimension, visitors and visitors_percentage. */
  readonly summary: boolean;
  /** referrers: whether rows are groups instead of single referrers. */
  readonly grouped: boolean;
  /** languages: whether rows are dialects instead of languages. */
  readonly locale: boolean;
}

/** The pages that visits began with, or ended with so far. */
export interface EntriesQuery extends Selection, Page, Compared, ByVisit {
  readonly list: "entries" | "exits";
  readonly summary: boolean;
}

export interface TimeQuery extends Selection, Page, Compared, ByVisit {
  readonly list: "time";
  readonly summary: boolean;
}

export interface PropertiesQuery extends Selection, Page, Compared, Omit<ByVisit, "nowMs"> {
  readonly list: "properties";
}

export const intervalNames = ["minute", "hour", "day", "week", "month"] as const;
export type IntervalName = (typeof intervalNames)[number];
export const intervalsMax = 10_000;

export interface SummaryQuery extends Selection, Compared, ByVisit {
  /** Whether to compare with the period of the same length before. */
  readonly previous: boolean;
  readonly interval?: IntervalName;
  /** The IANA name of the zone whose calendar the intervals follow. */
  readonly timezone: string;
  /** The day with which weeks begin: 1 is Monday, the one without it, and 7 is Sunday. */
  readonly week_start?: number;
}

/** The figures of goals. */
export interface GoalsQuery extends Selection, Compared, Pick<ByVisit, "by" | "heldTo"> {
  readonly list: "goals";
  readonly goals: readonly Goal[];
  /** Rows say the id and the name of a goal, and not by what it is reached. */
  readonly onlyNames?: true;
}

/** A step of a funnel, as it was asked for. */
export interface Step {
  readonly text: string;
  readonly target: Target;
}

/** The visits that did these steps one after the other. */
export interface FunnelQuery extends Selection, Compared, Pick<ByVisit, "by" | "heldTo"> {
  readonly list: "funnel";
  readonly steps: readonly Step[];
}

export const directions = ["next", "previous"] as const;
export type Direction = (typeof directions)[number];

/** The pages that visits went to, or came from, right after or before a page. */
export interface JourneysQuery extends Selection {
  readonly list: "journeys";
  readonly path: string;
  readonly direction: Direction;
  readonly limit: number;
}

export const driverMetrics = ["visitors", "visits", "pageviews"] as const satisfies readonly MetricName[];
export type DriverMetric = (typeof driverMetrics)[number];
/** The most values that an answer names. */
export const driversMax = 10;

/** Asks for the values that made a period unlike others. The period has a start and an end. */
export interface DriversQuery extends Selection, Pick<ByVisit, "by"> {
  readonly list: "drivers";
  /** The one metric that is compared. */
  readonly metrics: readonly [DriverMetric];
  /** The period to compare with; undefined: the same weekdays of earlier weeks. */
  readonly compare: Period | undefined;
  /** The IANA name of the zone whose weeks are counted. */
  readonly timezone: string;
  readonly nowMs: number;
}

/** Asks for a piece of what is exported: lines of the rows themselves. */
export interface ExportQuery extends Selection {
  readonly list: "export";
  readonly of: ExportKind;
  readonly format: ExportFormat;
  /** undefined: the first piece. */
  readonly from: ExportPlace | undefined;
}

/** A question about a website. `nowMs`: the end of a period that has none. */
export type Question =
  | ListQuery
  | EntriesQuery
  | TimeQuery
  | PropertiesQuery
  | GoalsQuery
  | FunnelQuery
  | JourneysQuery
  | DriversQuery
  | ExportQuery
  | (SummaryQuery & { readonly list: "summary"; readonly nowMs: number });

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
/** A row with the metrics that were asked for by name. */
export type NamedRow = { readonly [F in ListedDimension["field"]]?: string } & NamedFigures &
  Other &
  WithPrevious<NamedFigures>;
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
}

/** A summary with the metrics that were asked for by name. */
export interface NamedSummary extends Pick<Summary, "approximate" | "rows_from" | "imported_until"> {
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
