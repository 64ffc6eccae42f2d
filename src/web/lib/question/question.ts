/**
 * The question that a website's page shows: period, interval, filters, tabs. All of it is in the address, so that any
 * view is a link; the paths of the API follow from it.
 */
import {
  emptyOf,
  filterNames,
  listedDimensions,
  type FilterName,
  type PropertyFilterName,
} from "../../../core/dimension.ts";
import { operatorName, operatorOf, readOperands, refusedOf, writeOperands } from "../../../core/operator.ts";
import { intervalNames, type Filter, type IntervalName } from "../../../core/query.ts";
import { isolated, label, pathLabel } from "../label.ts";
import { figures, type MetricName } from "../metric.ts";
import { encodeSearch, websiteHref } from "../routes.ts";
import {
  customPeriod,
  intervalsFor,
  periodNames,
  spanOf,
  type PeriodChoice,
  type Span,
} from "../calendar/period.ts";
import { isoDate, isZone, ownZone, parseDate } from "../calendar/zone.ts";

const ownLabels: Readonly<Record<PropertyFilterName | "entry", string>> = {
  entry: "Entry page",
  prop_name: "Property",
  prop_value: "Property value",
};
/** The label of what a filter compares. */
export const filterLabels = {
  ...Object.fromEntries(listedDimensions.map(({ name, label }) => [name, label.one])),
  ...ownLabels,
} as Readonly<Record<FilterName, string>>;

/** The labels for the value "" of what may have none. */
const emptyLabels = new Map<FilterName, string | undefined>([
  ...listedDimensions.map((dimension) => [dimension.name, emptyOf(dimension)?.label] as const),
  ["prop_value", "(empty)"],
]);

export function mayBeEmpty(name: FilterName): boolean {
  return emptyLabels.get(name) !== undefined;
}

/** Returns an operand as people read it. */
export function operandText(name: FilterName, operand: string): string {
  if (operand === "") return emptyLabels.get(name) ?? "(none)";
  return name === "path" || name === "entry" ? pathLabel(operand) : label(operand);
}

/** Returns a filter in words, such as: Browser is one of Chrome, Firefox. */
export function filterText({ name, operator, operands }: Filter): string {
  const values = operands.map((operand) => isolated(operandText(name, operand))).join(", ");
  return `${filterLabels[name]} ${operatorOf(operator).label} ${values}`;
}

export interface Question {
  readonly hostname: string;
  readonly period: PeriodChoice;
  /** The IANA name of the time zone. */
  readonly zone: string;
  /** Undefined means the one that suits the period. */
  readonly interval: IntervalName | undefined;
  readonly compare: boolean;
  readonly metric: MetricName;
  readonly filters: readonly Filter[];
  /** The open tab of each panel whose first tab is not open. */
  readonly tabs: ReadonlyMap<string, string>;
}

const defaultPeriod = "30d";
const tabPrefix = "tab.";

export function questionOf(hostname: string, search: URLSearchParams): Question {
  const zone = search.get("timezone") ?? ownZone;
  const interval = intervalNames.find((name) => name === search.get("interval"));
  const metric = figures.find(({ field }) => field === search.get("metric"))?.field;
  return {
    hostname,
    period: periodOf(search),
    zone: isZone(zone) ? zone : ownZone,
    interval,
    compare: search.get("previous") === "true",
    metric: metric ?? "visitors",
    filters: filtersOf(search),
    tabs: new Map(
      [...search]
        .filter(([name]) => name.startsWith(tabPrefix))
        .map(([name, value]) => [name.slice(tabPrefix.length), value]),
    ),
  };
}

function periodOf(search: URLSearchParams): PeriodChoice {
  const name = periodNames.find((known) => known === search.get("period")) ?? defaultPeriod;
  if (name !== "custom") return { name };
  const from = parseDate(search.get("from") ?? "");
  const to = parseDate(search.get("to") ?? "");
  return from === undefined || to === undefined ? { name: defaultPeriod } : customPeriod(from, to);
}

/**
 * Returns the filters as the server reads them: if the key of a list operator is repeated, its lists become one filter.
 */
function filtersOf(search: URLSearchParams): Filter[] {
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
  const operands = readOperands(operatorOf(operator), value);
  return refusedOf(operatorOf(operator), operands) === undefined ? { name, operator, operands } : undefined;
}

function filterPairs(filters: readonly Filter[]): [string, string][] {
  return filters.flatMap(({ name, operator, operands }) =>
    writeOperands(operatorOf(operator), operands).map((value): [string, string] => [
      `${name}[${operator}]`,
      value,
    ]),
  );
}

/** Returns the address of a question, without the parts that have their default. */
export function questionHref(question: Question): string {
  const { hostname, period, zone, interval, compare, metric, filters, tabs } = question;
  const pairs: [string, string][] = [];
  if (period.name !== defaultPeriod) pairs.push(["period", period.name]);
  if (period.name === "custom") pairs.push(["from", isoDate(period.from)], ["to", isoDate(period.to)]);
  if (interval !== undefined) pairs.push(["interval", interval]);
  if (compare) pairs.push(["previous", "true"]);
  if (metric !== "visitors") pairs.push(["metric", metric]);
  if (zone !== ownZone) pairs.push(["timezone", zone]);
  for (const [panel, tab] of tabs) pairs.push([tabPrefix + panel, tab]);
  return websiteHref(hostname) + encodeSearch([...pairs, ...filterPairs(filters)]);
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

export function withTab(question: Question, panel: string, tab: string): Question {
  return { ...question, tabs: new Map([...question.tabs, [panel, tab]]) };
}

/** Returns the interval that the chart shows: the one that was picked, if it suits the period. */
export function intervalOf({ interval }: Question, span: Span): IntervalName {
  const suited = intervalsFor(span);
  return suited.find((name) => name === interval) ?? (suited[0] as IntervalName);
}

/** Returns the parameters of a statistics query for a period and filters. */
function selectionPairs(filters: readonly Filter[], { startMs, endMs }: Span): [string, string][] {
  return [
    ...(startMs === undefined ? [] : [["start", new Date(startMs).toISOString()] as [string, string]]),
    ["end", new Date(endMs).toISOString()],
    ...filterPairs(filters),
  ];
}

function statisticsPath({ hostname }: Question, list: string, pairs: readonly [string, string][]): string {
  return `/website/${encodeURIComponent(hostname)}/${list}${encodeSearch(pairs)}`;
}

/**
 * Returns the path of one of the API's lists for a question; `extra` are further parameters, such as limit and offset.
 */
export function listPath(
  question: Question,
  list: string,
  extra: Readonly<Record<string, string | number | boolean>>,
  nowMs = Date.now(),
): string {
  const more = Object.entries(extra).map(([name, value]): [string, string] => [name, String(value)]);
  const span = spanOf(question.period, question.zone, nowMs);
  return statisticsPath(question, list, [...selectionPairs(question.filters, span), ...more]);
}

/** Returns the path of the totals with the chart's intervals. */
export function summaryPath(question: Question, nowMs = Date.now()): string {
  const interval = intervalOf(question, spanOf(question.period, question.zone, nowMs));
  return listPath(question, "summary", { interval, timezone: question.zone }, nowMs);
}

/**
 * Returns the path of the totals of an earlier period, up to the same point that the later one has reached by now:
 * today until now is compared with yesterday until then, not with the whole of it. The time is cut to ten minutes, so
 * that the path stays the same for that long.
 */
export function earlierTotalsPath(question: Question, earlier: PeriodChoice, nowMs = Date.now()): string {
  const now = spanOf(question.period, question.zone, nowMs);
  const then = spanOf(earlier, question.zone, nowMs);
  const wholeSteps = (ms: number) => Math.floor(ms / 600_000) * 600_000;
  const goneMs = nowMs < now.endMs ? wholeSteps(nowMs - (now.startMs ?? nowMs)) : Infinity;
  const endMs = Math.min(then.endMs, (then.startMs ?? then.endMs) + Math.max(goneMs, 600_000) - 1);
  return statisticsPath(question, "summary", selectionPairs(question.filters, { ...then, endMs }));
}
