/**
 * A question about one website as plain, frozen values, and the rows of its answer. It is parsed once from text and
 * never validated again.
 */
import type { Dimension, FilterName, ListName } from "./dimension.ts";
import type { Figures, MetricName, RowFigures } from "./metric.ts";
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

export interface ListQuery extends Selection, Page {
  readonly list: ListName;
  /** Whether rows have only the dimension, visitors and visitors_percentage. */
  readonly summary: boolean;
  /** referrers: whether rows are groups instead of single referrers. */
  readonly grouped: boolean;
  /** languages: whether rows are dialects instead of languages. */
  readonly locale: boolean;
}

export interface TimeQuery extends Selection, Page {
  readonly list: "time";
  readonly summary: boolean;
}

export interface PropertiesQuery extends Selection, Page {
  readonly list: "properties";
}

export const intervalNames = ["minute", "hour", "day", "week", "month"] as const;
export type IntervalName = (typeof intervalNames)[number];
export const intervalsMax = 10_000;

export interface SummaryQuery extends Selection {
  readonly previous: boolean;
  readonly interval?: IntervalName;
  /** The IANA name of the zone whose calendar the intervals follow. */
  readonly timezone: string;
}

/** A question about a website. `nowMs`: the end of a period that has none. */
export type Question =
  | ListQuery
  | TimeQuery
  | PropertiesQuery
  | (SummaryQuery & { readonly list: "summary"; readonly nowMs: number });

/** The fields by which lists of values name their rows. */
export type NameField = Dimension["field"] | "name" | "value";

/** Whether the row sums up the values past a limit. */
type Other = { readonly other?: true };

/** A row has the one field of its dimension. */
export type ListRow = { readonly [F in Dimension["field"]]?: string } & RowFigures<"list" | "pages"> & Other;
export type TimeRow = { readonly path: string } & RowFigures<"time"> & Other;
/** `value` is present if the values of one name are listed. */
export type PropertyRow = { readonly name: string; readonly value?: string } & RowFigures<"properties"> &
  Other;
/** A row of any list. */
export type AnyRow = { readonly [F in NameField]?: string } & Partial<Figures<MetricName>> & Other;

export type Totals = RowFigures<"summary">;

export interface IntervalTotals extends Totals {
  /** Start of the interval, RFC 3339 with the zone's offset. */
  readonly date: string;
}

export interface Summary {
  readonly current: Totals;
  readonly previous?: Totals;
  readonly interval?: readonly IntervalTotals[];
}
