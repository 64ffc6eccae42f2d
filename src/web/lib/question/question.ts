/**
 * The question that a view of a website shows: period, interval, filters, tabs. All of it is in the address, so that any
 * view is a link; the paths of the API follow from it (paths.ts).
 */
import {
  listedDimensions,
  emptyOf,
  filterNames,
  type PropertyFilterName,
} from "../../../core/questions/dimension.ts";
import type { FilterName } from "../../../core/questions/stored-dimension.ts";
import { operatorName, operatorOf, readOperands, writeOperands } from "../../../core/questions/operator.ts";
import { intervalNames, type Filter, type IntervalName } from "../../../core/questions/query.ts";
import { pathLabel } from "../../../core/questions/label.ts";
import { valueName } from "../texts/names.ts";
import { figureNamed, type FigureName } from "../texts/metric.ts";
import { encodeSearch } from "../routes.ts";
import { viewHref, type View } from "./view-href.ts";
import { customPeriod, intervalsFor, periodNames, type PeriodChoice, type Span } from "../calendar/period.ts";
import { comparisonOf, comparisonPairs, type Comparison } from "../calendar/comparison.ts";
import { isoDate, isZone, ownZone, parseDate } from "../calendar/zone.ts";
import { t, translated } from "../texts/words.ts";

const ownLabels: Readonly<Record<PropertyFilterName | "entry", string>> = {
  entry: t("Entry page"),
  prop_name: t("Property"),
  prop_value: t("Property value"),
};
/** The label of what a filter compares. */
export const filterLabels = {
  ...Object.fromEntries(listedDimensions.map(({ name, label }) => [name, translated(label.one)])),
  ...ownLabels,
} as Readonly<Record<FilterName, string>>;

/** The labels for the value "" of what may have none. */
const emptyLabels = new Map<FilterName, string | undefined>([
  ...listedDimensions.map((dimension) => {
    const empty = emptyOf(dimension);
    return [dimension.name, empty && translated(empty.label)] as const;
  }),
  ["prop_value", t("(empty)")],
]);

export function mayBeEmpty(name: FilterName): boolean {
  return emptyLabels.get(name) !== undefined;
}

export function isPath(name: FilterName): boolean {
  return name === "path" || name === "entry";
}

/** Returns an operand as people read it. */
export function operandText(name: FilterName, operand: string): string {
  if (operand === "") return emptyLabels.get(name) ?? t("(none)");
  return isPath(name) ? pathLabel(operand) : valueName(name, operand);
}

export interface Question extends View {
  /** Whether the website tells visits apart: what is asked for is that of visits then. It is not in the address. */
  readonly visits: boolean;
  readonly period: PeriodChoice;
  /** The IANA name of the time zone. */
  readonly zone: string;
  /** Undefined means the one that suits the period. */
  readonly interval: IntervalName | undefined;
  readonly compare: Comparison;
  readonly metric: FigureName;
  readonly filters: readonly Filter[];
  /** The id of the goal whose conversions are shown. */
  readonly goal: number | undefined;
  /** Whether it sums up amounts: known once the goals are. */
  readonly amount?: boolean;
  /** The steps of the funnel, as the API reads them. */
  readonly steps: readonly string[];
  /** The open tab of each panel whose first tab is not open. */
  readonly tabs: ReadonlyMap<string, string>;
}

/** Returns whether a question or the link by which it is asked has filters. */
export function isFiltered({ filters, shared }: Question): boolean {
  return [...filters, ...(shared?.filters ?? [])].length > 0;
}

const defaultPeriod = "30d";
const tabPrefix = "tab.";

export function questionOf(
  hostname: string,
  search: URLSearchParams,
  {
    view = "website",
    visits = false,
    shared,
    role,
  }: Partial<Pick<Question, "view" | "visits" | "shared" | "role">> = {},
): Question {
  const zone = search.get("timezone") ?? ownZone;
  const interval = intervalNames.find((name) => name === search.get("interval"));
  const courses = view === "website" && visits;
  const goal =
    courses && /^[1-9]\d{0,14}$/.test(search.get("goal") ?? "") ? Number(search.get("goal")) : undefined;
  return {
    view,
    hostname,
    shared,
    role,
    visits,
    period: periodOf(search),
    zone: isZone(zone) ? zone : ownZone,
    interval,
    compare: comparisonOf(search),
    metric: figureNamed({ visits, goal, amount: true }, search.get("metric"))?.name ?? "visitors",
    filters: filtersOf(search),
    goal,
    steps: courses ? search.getAll("step") : [],
    tabs: new Map(
      [...search]
        .filter(([name]) => name.startsWith(tabPrefix))
        .map(([name, value]) => [name.slice(tabPrefix.length), value]),
    ),
  };
}

/** A day or two, as the command line writes them: 2026-01-01..2026-01-31. */
const days = /^(\d{4}-\d\d-\d\d)(?:\.\.(\d{4}-\d\d-\d\d))?$/;

function periodOf(search: URLSearchParams): PeriodChoice {
  const [, first, last = first] = days.exec(search.get("period") ?? "") ?? [];
  if (first !== undefined) return customOf(first, last);
  const name = periodNames.find((known) => known === search.get("period")) ?? defaultPeriod;
  if (name === "24h") return hoursUntil(Date.parse(search.get("until") ?? ""));
  if (name !== "custom") return { name };
  return customOf(search.get("from"), search.get("to"));
}

function customOf(first: string | null, last: string | null | undefined): PeriodChoice {
  const [from, to] = [parseDate(first ?? ""), parseDate(last ?? "")];
  return from === undefined || to === undefined ? { name: defaultPeriod } : customPeriod(from, to);
}

function hoursUntil(untilMs: number): PeriodChoice {
  return Number.isNaN(untilMs) ? { name: "24h" } : { name: "24h", untilMs };
}

/**
 * Returns the filters as the server reads them: if the key of a list operator is repeated, its lists become one filter.
 */
export function filtersOf(search: URLSearchParams): Filter[] {
  const filters: Filter[] = [];
  for (const [key, value] of search) {
    const filter = filterIn(key, value);
    if (filter === undefined) continue;
    const { name, operator, operands } = filter;
    const same = filters.findIndex((other) => other.name === name && other.operator === operator);
    const before = operatorOf(operator).takesList ? filters[same] : undefined;
    if (before === undefined) filters.push(filter);
    else filters[same] = { ...before, operands: [...before.operands, ...operands] };
  }
  return filters;
}

/**
 * Returns the parameters that look like a filter and are none: without them the page shows more than the author of the
 * link meant.
 */
export function unknownFilters(search: URLSearchParams): string[] {
  const looksLikeOne = (key: string) => key.includes("[") || filterNames.some((name) => name === key);
  const unknown = [...search].filter(
    ([key, value]) => looksLikeOne(key) && filterIn(key, value) === undefined,
  );
  return [...new Set(unknown.map(([key]) => key))];
}

/** Returns the filter in a parameter such as `path[contains]`. */
function filterIn(key: string, value: string): Filter | undefined {
  const [, dimension, word] = /^(\w+)\[(\w+)\]$/.exec(key) ?? [];
  const name = filterNames.find((known) => known === dimension);
  const operator = operatorName(word ?? "");
  if (name === undefined || operator === undefined) return undefined;
  return { name, operator, operands: readOperands(operatorOf(operator), value) };
}

/** Returns the parameters by which addresses and the API say filters. */
export function filterPairs(filters: readonly Filter[]): [string, string][] {
  return filters.flatMap(({ name, operator, operands }) =>
    writeOperands(operatorOf(operator), operands).map((value): [string, string] => [
      `${name}[${operator}]`,
      value,
    ]),
  );
}

/** Returns the address of a question, without the parts that have their default. */
export function questionHref(question: Question): string {
  const { view, period, zone, interval, compare, metric, filters, goal, steps, tabs } = question;
  const pairs: [string, string][] = [];
  if (period.name !== defaultPeriod) pairs.push(["period", period.name]);
  if (period.name === "custom") pairs.push(["from", isoDate(period.from)], ["to", isoDate(period.to)]);
  if (period.name === "24h" && period.untilMs !== undefined)
    pairs.push(["until", new Date(period.untilMs).toISOString()]);
  if (interval !== undefined) pairs.push(["interval", interval]);
  pairs.push(...comparisonPairs(compare));
  if (metric !== "visitors") pairs.push(["metric", metric]);
  if (zone !== ownZone) pairs.push(["timezone", zone]);
  if (view === "website" && goal !== undefined) pairs.push(["goal", String(goal)]);
  if (view === "website") for (const step of steps) pairs.push(["step", step]);
  for (const [panel, tab] of tabs) pairs.push([tabPrefix + panel, tab]);
  return viewHref(question, encodeSearch([...pairs, ...filterPairs(filters)]));
}

/**
 * Adds a filter. It replaces others of its dimension that ask for whole values: a click narrows a question and never
 * contradicts it.
 */
export function withFilter(question: Question, filter: Filter): Question {
  const asksForWhole = ({ operator }: Filter) => {
    const { negative, comparesWhole } = operatorOf(operator);
    return comparesWhole && !negative;
  };
  const others = question.filters.filter((other) => other.name !== filter.name || !asksForWhole(other));
  return { ...question, filters: [...others, filter] };
}

/** Returns the question without its goal, and so without a chart of its conversions. */
export function withoutGoal(question: Question): Question {
  const metric = figureNamed({ visits: question.visits }, question.metric)?.name ?? "visitors";
  return { ...question, goal: undefined, metric };
}

interface MayHaveAmount {
  readonly event?: { readonly amount?: string };
  readonly amount?: number;
}

/** Whether a goal sums up amounts. A link with filters is told what they come to, and not which property has them. */
export function sumsUp({ event, amount }: MayHaveAmount): boolean {
  return event?.amount !== undefined || amount !== undefined;
}

/** Returns the question with what is known of its goal: whether it sums up amounts, so that there is a chart of them. */
export function withAmount(question: Question, amount: boolean): Question {
  if (amount) return { ...question, amount };
  return question.metric === "amount" ? { ...question, metric: "visitors" } : question;
}

export function withTab(question: Question, panel: string, tab: string): Question {
  return { ...question, tabs: new Map([...question.tabs, [panel, tab]]) };
}

/** Returns the interval that the chart shows: the one that was picked, if it suits the period. */
export function intervalOf({ interval }: Question, span: Span): IntervalName {
  const suited = intervalsFor(span);
  return suited.find((name) => name === interval) ?? suited[0]!;
}
