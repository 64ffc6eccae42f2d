/**
 * The parameters of a statistics query: a table of those with a plain value, and the filters that follow from the
 * tables of core. A raw query string is parsed once into a frozen value, which is not checked again. Unknown plain
 * parameters, and those of other endpoints, are ignored.
 */
import { Type, type TSchema } from "@sinclair/typebox";
import {
  filterNames,
  propertyFilterNames,
  type AskedName,
  type PropertyFilterName,
} from "../../core/questions/dimension.ts";
import { visitDimension, type FilterName } from "../../core/questions/stored-dimension.ts";
import { type RowKind } from "../../core/questions/metric.ts";
import { metricsOfGoal, namedMetrics } from "../../core/questions/named-metric.ts";
import { operatorIn, operatorOf, operators, readOperands } from "../../core/questions/operator.ts";
import {
  directions,
  driverMetrics,
  filtersMax,
  intervalNames,
  limitMax,
  offsetMax,
  type Direction,
  type DriverMetric,
  type Filter,
  type IntervalName,
  type Selection,
} from "../../core/questions/query.ts";
import { badInput, shown } from "../../core/refusal.ts";
import { parseDateTime } from "../../core/date-time.ts";
import { parsePairs, singleValues, type Pair } from "./query-string.ts";
import { isTimeZone } from "./day-start.ts";
import { wordsSchema } from "./schemas.ts";

interface ScalarRow<T> {
  readonly description: string;
  readonly schema: TSchema;
  /** The words in which a 400 says what was expected. */
  readonly expected: string;
  /** The value if the parameter is missing. */
  readonly fallback: T;
  readonly parse: (text: string) => T | undefined;
}

export const scalars = {
  start: dateTime("Start of the period, inclusive; finer than a millisecond is cut off", -Infinity),
  end: dateTime("End of the period, inclusive; finer than a millisecond is cut off", Infinity),
  metric: {
    description: "The metric that is compared",
    schema: wordsSchema(driverMetrics),
    expected: driverMetrics.join(", "),
    fallback: "visitors",
    parse: (text: string) => driverMetrics.find((name) => name === text),
  } satisfies ScalarRow<DriverMetric>,
  compare_start: dateTime(
    "Start of another period, inclusive: rows and totals have in `previous` the same figures of that period. One end " +
      "may be missing, as in the period itself",
    -Infinity,
  ),
  compare_end: dateTime("End of that other period, inclusive", Infinity),
  limit: integer("Rows at the most", 1, limitMax, limitMax),
  offset: integer("Rows to leave out first", 0, offsetMax, 0),
  summary: flag("Only the dimension with its visitors (`time`: the durations)", false),
  grouped: flag("Group names instead of single referrers", true),
  locale: flag("Dialects (`British English`) instead of languages (`English`)", false),
  dry_run: flag("Only say what would be removed", true),
  by: {
    description:
      "`visit`: sources, visitors and bounces are those of visits. Referrer and campaign are those of the visit's " +
      "first page view; under a filter on paths, visitors are visits with a first view among the selected ones, and " +
      "under one on properties all visits of the selection",
    schema: wordsSchema(["visit"]),
    expected: "visit",
    fallback: undefined,
    parse: (text: string) => (text === "visit" ? text : undefined),
  } satisfies ScalarRow<"visit" | undefined>,
  metrics: {
    description: metricsDescription("list"),
    schema: Type.String(),
    expected: "names with commas",
    fallback: undefined,
    // Rows of each kind have metrics of their own: the endpoints compare the names with these.
    parse: (text: string) => (/^\w+(,\w+)*$/.test(text) ? Object.freeze(text.split(",")) : undefined),
  } satisfies ScalarRow<readonly string[] | undefined>,
  goal: {
    description:
      "The id of a goal: rows and intervals have `conversions`, their visits that reached it in the period, and " +
      "`conversion_percentage`. With `metrics` those that are named, also `amount`, if the goal sums one up; a list " +
      "has no amounts where its period touches a month that gave up its rows; totals without `by=visit` sum up selected hits only",
    schema: Type.Integer({ minimum: 1 }),
    expected: "the id of a goal",
    fallback: undefined,
    parse: (text: string) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  } satisfies ScalarRow<number | undefined>,
  direction: {
    description: "`next`: where visits went from the page; `previous`: where they came from",
    schema: wordsSchema(directions),
    expected: directions.join(" or "),
    fallback: "next",
    parse: (text: string) => directions.find((name) => name === text),
  } satisfies ScalarRow<Direction>,
  previous: flag("Also the period of the same length before; needs start and end", false),
  interval: {
    description: "Adds one entry for each calendar interval of the time zone, at most 10,000",
    schema: wordsSchema(intervalNames),
    expected: intervalNames.join(", "),
    fallback: undefined,
    parse: (text: string) => intervalNames.find((name) => name === text),
  } satisfies ScalarRow<IntervalName | undefined>,
  week_start: integer("Day with which the weeks of interval=week begin: 1 is Monday, 7 is Sunday", 1, 7, 1),
  timezone: {
    description: "IANA name of the time zone whose calendar the intervals follow",
    schema: Type.String({ default: "UTC" }),
    expected: "the IANA name of a time zone",
    fallback: "UTC",
    parse: (text: string) => (isTimeZone(text) ? text : undefined),
  } satisfies ScalarRow<string>,
};

export type ScalarName = keyof typeof scalars;
type ScalarValue<N extends ScalarName> =
  Exclude<ReturnType<(typeof scalars)[N]["parse"]>, undefined> | (typeof scalars)[N]["fallback"];
type Scalars<N extends ScalarName> = { readonly [K in N]: ScalarValue<K> };

/** The values of plain parameters that an endpoint reads itself, in their order. */
export function valuesOf(raw: string, name: string): readonly string[] {
  return parsePairs(raw).flatMap(([own, value]) => (own === name ? [value] : []));
}

/**
 * Returns the filters and period of `raw`, and the values of the parameters in `names`. An endpoint that does not offer
 * all of them ignores the others. `own`: a plain parameter that it reads itself, and that is named like a filter. Throws Refusal 400 that names the parameter.
 */
export function parseStatisticsQuery<N extends ScalarName>(
  raw: string,
  names: readonly N[],
  offered: readonly N[] = names,
  own?: string,
): Selection & Scalars<N> {
  const pairs = parsePairs(raw);
  const given = singleValues(pairs, ["start", "end", ...offered]);
  const [startMs, endMs] = [scalarOf("start", given), scalarOf("end", given)];
  if (startMs > endMs) throw badInput("start", given.get("start"), "a time that is not after end");
  const values = Object.fromEntries(names.map((name) => [name, scalarOf(name, given)])) as Scalars<N>;
  const period = Object.freeze({ startMs, endMs });
  const filters = parseFilters(pairs.filter(([name]) => name !== own));
  const isByVisit = names.some((name) => name === "by") && given.get("by") === "visit";
  if (given.has("metrics") && given.get("summary") === "true")
    throw badInput("metrics", given.get("metrics"), "to be asked without summary=true");
  const ofGoal = scalarOf("metrics", given)?.find((name) => metricsOfGoal.has(name));
  if (ofGoal !== undefined && !given.has("goal")) throw badInput("metrics", ofGoal, "a goal beside it");
  const asked = isByVisit ? ofVisits(filters) : filters;
  const query: Selection & Scalars<N> = { period, filters: asked, ...values };
  Object.freeze(query);
  return query;
}

/** Returns the filters with those on sources as filters on the sources of visits. */
export function ofVisits(filters: readonly Filter[]): readonly Filter[] {
  return Object.freeze(
    filters.map((filter) =>
      isPropertyName(filter.name) ? filter : Object.freeze({ ...filter, name: visitDimension(filter.name) }),
    ),
  );
}

function isPropertyName(name: FilterName): name is PropertyFilterName {
  return (propertyFilterNames as readonly string[]).includes(name);
}

/** Describes the parameter of an endpoint with rows of a kind. */
export function metricsDescription(kind: RowKind): string {
  return (
    `Metrics by name, with commas, of: ${namedMetrics[kind].join(", ")}. Rows have these in place of their other ` +
    "figures; one without a base is missing, and one of visits is refused where the website has none"
  );
}

function scalarOf<N extends ScalarName>(name: N, given: ReadonlyMap<string, string>): ScalarValue<N> {
  const { parse, fallback, expected } = scalars[name];
  const text = given.get(name);
  const value = text === undefined ? fallback : parse(text);
  if (text !== undefined && value === undefined) throw badInput(name, text, expected);
  return value as ScalarValue<N>;
}

const filterSet: ReadonlySet<string> = new Set(filterNames);

/**
 * Returns the filters in the order of their first use. If the key of a list operator is repeated, its lists become one
 * filter. Of operands there are as many as a URL holds, and a list is compared at once, however long it is. `names`: those
 * that are taken. Throws Refusal 400.
 */
export function parseFilters(
  pairs: readonly Pair[],
  names: readonly AskedName[] = filterNames,
): readonly Filter[] {
  const filters: Filter[] = [];
  const lists = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const target = filterTarget(key, value, names);
    if (target === undefined) continue;
    const operator = operatorOf(target.operator);
    const known = lists.get(key);
    const operands = readOperands(operator, value);
    if (known !== undefined) known.push(...operands);
    else {
      if (operator.takesList) lists.set(key, operands);
      filters.push({ ...target, operands });
    }
  }
  const { length } = filters;
  if (length > filtersMax) throw badInput("filters", length, `at most ${filtersMax} filters`);
  for (const filter of filters) Object.freeze(Object.freeze(filter).operands);
  return Object.freeze(filters);
}

/** Returns the dimension and operator of a key like `path[eq]`; undefined for a plain parameter. */
function filterTarget(
  key: string,
  value: string,
  names: readonly AskedName[],
): Pick<Filter, "name" | "operator"> | undefined {
  const bracket = key.indexOf("[");
  if (bracket < 0) {
    if (filterSet.has(key)) throw badInput(key, value, `an operator, as in ${key}[eq]`);
    refuseFlattened(key);
    return undefined;
  }
  const asked = key.slice(0, bracket);
  const name = names.find((known) => known === asked);
  if (name === undefined) throw badInput(shown(key), asked, `a filter: ${names.join(", ")}`);
  const word = key.endsWith("]") ? key.slice(bracket + 1, -1) : key.slice(bracket);
  return { name, operator: operatorIn(shown(key), word) };
}

const anyOperator = operators.map(({ name }) => name).join("|");
const flattened = new RegExp(`^(?:(${filterNames.join("|")})[._-]+)?(${anyOperator})$`, "i");

/**
 * Refuses a plain parameter that is named like an operator: a client that flattens filters would get figures without
 * them, and not a word.
 */
function refuseFlattened(key: string): void {
  // Some generated clients write pathStartsWith.
  const inSnakeCase = key.replace(/(?<=[a-z])(?=[A-Z])/g, "_");
  const [, name, operator] = flattened.exec(inSnakeCase)?.map((part) => part?.toLowerCase()) ?? [];
  if (operator === undefined) return;
  throw badInput(
    key,
    key,
    name === undefined ? `what it compares, as in path[${operator}]` : `${name}[${operator}]`,
  );
}

function dateTime(description: string, fallback: number): ScalarRow<number> {
  const schema = Type.String({ format: "date-time" });
  const expected = "an RFC 3339 date-time like 2026-01-31T08:00:00Z";
  return { description, schema, expected, fallback, parse: parseDateTime };
}

function integer(description: string, minimum: number, maximum: number, fallback: number): ScalarRow<number> {
  return {
    description,
    schema: Type.Integer({ minimum, maximum, default: fallback }),
    expected: `an integer from ${minimum} to ${maximum} in plain digits`,
    fallback,
    parse: (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      return value >= minimum && value <= maximum ? value : undefined;
    },
  };
}

function flag(description: string, fallback: boolean): ScalarRow<boolean> {
  return {
    description,
    schema: Type.Boolean({ default: fallback }),
    expected: "true or false",
    fallback,
    parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  };
}
