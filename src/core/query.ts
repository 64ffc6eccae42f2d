/**
 * A question about one website as plain, frozen values, and the rows of its answer. Parsed once from text, never
 * re-validated.
 */
import type { Dimension, FilterName, ListName } from "./dimension.ts";
import type { Figures, MetricName, RowFigures } from "./metric.ts";
import type { OperatorName } from "./operator.ts";

export interface Filter {
  readonly name: FilterName;
  readonly operator: OperatorName;
  /** One operand, or of an operator that takes a list any number; as sent, case kept. */
  readonly operands: readonly string[];
}

/** Both ends inclusive, whole milliseconds since 1970; ±Infinity where the end is open. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

export interface Selection {
  readonly period: Period;
  /** All must hold. */
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
  /** Only the dimension with visitors and visitors_percentage. */
  readonly summary: boolean;
  /** referrers: group names instead of referrers. */
  readonly grouped: boolean;
  /** languages: dialects instead of base names. */
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
  /** IANA name of the zone whose calendar the intervals follow. */
  readonly timezone: string;
}

/** What can be asked of a website; `nowMs`: the end of a period without one. */
export type Question =
  | ListQuery
  | TimeQuery
  | PropertiesQuery
  | (SummaryQuery & { readonly list: "summary"; readonly nowMs: number });

/** The field by which lists of values name their rows. */
export type NameField = Dimension["field"] | "name" | "value";

/** Whether the row has the values past a limit, together. */
type Other = { readonly other?: true };

/** Has the field of its dimension. */
export type ListRow = { readonly [F in Dimension["field"]]?: string } & RowFigures<"list" | "pages"> & Other;
export type TimeRow = { readonly path: string } & RowFigures<"time"> & Other;
/** `value`: where values of one name are listed. */
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
