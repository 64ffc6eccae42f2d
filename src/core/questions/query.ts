/**
 * A question about one website as plain, frozen values. It is parsed once from text and never validated again. Its
 * answer is in answer.ts.
 */
import type { ListName } from "./dimension.ts";
import type { ExportFormat, ExportKind, ExportPlace } from "./exported.ts";
import type { FilterName } from "./stored-dimension.ts";
import type { Goal, Target } from "../website/goal.ts";
import type { MetricName } from "./metric.ts";
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

/** Whether a period has a start and an end. */
export function isClosed({ startMs, endMs }: Period): boolean {
  return Number.isFinite(startMs) && Number.isFinite(endMs);
}

/** Returns the period of the same length that ends where this one begins. Both ends have to be finite. */
export function periodBefore({ startMs, endMs }: Period): Period {
  return { startMs: startMs - 1 - (endMs - startMs), endMs: startMs - 1 };
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
/** The most filters of a request: each may be compared with every value of a dimension. */
export const filtersMax = 128;

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

/**
 * A question about a website. `nowMs`: the end of a period that has none. `asCsv`: whether the text of the answer is CSV
 * instead of JSON.
 */
export type Question = { readonly asCsv?: true } & (
  | ListQuery
  | EntriesQuery
  | TimeQuery
  | PropertiesQuery
  | GoalsQuery
  | FunnelQuery
  | JourneysQuery
  | DriversQuery
  | ExportQuery
  | (SummaryQuery & { readonly list: "summary"; readonly nowMs: number })
);

/** Returns the pages and events that a question asks for besides its filters. */
export function targetsOf(question: Question): readonly Target[] {
  if (question.list === "funnel") return question.steps.map(({ target }) => target);
  if (question.list === "goals") return question.goals.map(({ target }) => target);
  return "goal" in question && question.goal !== undefined ? [question.goal] : [];
}
