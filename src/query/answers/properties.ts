/** Answers the list of custom properties: names with their events, or the values of the names that are asked for. */
import type { ColumnName } from "../../core/questions/dimension.ts";
import { dayMs } from "../../core/hit.ts";
import { ScratchWords } from "../../lib/memory/scratch.ts";
import { amountMetric, type Measures } from "../../core/questions/metric.ts";
import { visitMetrics } from "../../core/questions/named-metric.ts";
import type { PropertyRow } from "../../core/questions/answer.ts";
import type { Period, PropertiesQuery } from "../../core/questions/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { movedRow } from "../../store/columns/columns.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import type { QueryContext } from "../cache/context.ts";
import { factsAndRows, propertyBounds, type RowsPart } from "../rows/facts-and-rows.ts";
import { PropertyAmounts } from "../goals/property-amounts.ts";
import { unknownAmount } from "../goals/visit-amounts.ts";
import { rankWithOthers } from "./rank.ts";
import { compareText, valueOrder } from "../names/text-order.ts";
import { textOf } from "../names/value-text.ts";
import { figuresOf, rowsOf } from "../counts/row.ts";
import { GroupsOfVisits } from "../rows/groups-of-visits.ts";
import { columnMasks, type Mask } from "../rows/filters/mask.ts";
import { isPropertyFilter, propertyMasks, type PropertyFilterMasks } from "../rows/filters/property-mask.ts";
import { visitsThatReached } from "../rows/filters/targets.ts";
import { keepMasked } from "../rows/selected-properties.ts";
import { distinctVisits } from "../rows/selected-visits.ts";

/** This thread's buffer for the selected properties of one chunk. */
const keptScratch = new ScratchWords();
/** A key holds a name id and a value id in one number; both stay far below 2^26. */
const valuesMax = 2 ** 26;
/** A property counts at its own time; filters on dimensions go by the row that it belongs to. */
export function answerProperties(query: PropertiesQuery, context: QueryContext): PropertyRow[] {
  const { site } = context;
  const { filters } = query;
  const byValue = filters.some(({ name, operator }) => name === "prop_name" && operator === "eq");
  const nameOf = (key: number) => textOf(site.propertyNames, nameIdOf(key));
  const valueOf = (key: number) => (byValue ? textOf(site.propertyValues, key % valuesMax) : "");
  const isOther = (key: number) =>
    nameIdOf(key) === overflowId || (byValue && key % valuesMax === overflowId);
  const [nameOrder, valuesOrder] = [valueOrder(site.propertyNames), valueOrder(site.propertyValues)];
  const byName = (a: number, b: number) =>
    (isOther(a)
      ? compareText(nameOf(a), nameOf(b)) || compareText(valueOf(a), valueOf(b))
      : nameOrder(nameIdOf(a), nameIdOf(b)) || (byValue ? valuesOrder(a % valuesMax, b % valuesMax) : 0)) ||
    a - b;
  return rowsOf(query, {
    count: (period, only) => {
      const own = { ...query, period };
      const events = eventsIn(own, byValue, context);
      const allEvents = events.values().reduce((sum, count) => sum + count, 0);
      const needsVisits = query.goal !== undefined || query.metrics?.some((name) => visitMetrics.has(name));
      const visits = needsVisits ? visitsIn(own, byValue, events.keys(), context) : undefined;
      const amounts = query.metrics?.includes(amountMetric) ? amountsIn(own, byValue, context) : undefined;
      const order = (a: number, b: number) => events.get(b)! - events.get(a)! || byName(a, b);
      const chosen =
        only === undefined
          ? rankWithOthers([...events.keys()], isOther, order, query)
          : Iterator.from(only).filter((key) => events.has(key));
      return new Map(
        Array.from(chosen, (key) => {
          const ofVisits = visits?.of(key) ?? noVisits;
          const ofGoal = amounts?.of(key) ?? unknownAmount;
          const measures = { events: events.get(key)!, allEvents, ...ofVisits, ...ofGoal };
          return [key, figuresOf("properties", query, measures)] as const;
        }),
      );
    },
    namesOf: (key) => ({ name: nameOf(key), ...(byValue && { value: valueOf(key) }) }),
    isOther,
  });
}

function nameIdOf(key: number): number {
  return Math.floor(key / valuesMax);
}

/** Counts the selected properties by key. `byValue`: whether a key has a value, or a name only. */
function eventsIn(
  query: PropertiesQuery,
  byValue: boolean,
  context: QueryContext,
): ReadonlyMap<number, number> {
  const { site } = context;
  // A map is slow: names are counted in an array, whatever their values, and come into the map once.
  const byName = new Float64Array(site.propertyNames.size);
  const { facts, rows } = factsAndRows(site, query, Infinity, { bounds: propertyBounds });
  const { months } = factsAndRows(site, query, dayMs, { bounds: propertyBounds });
  for (const { month, from, to } of months) {
    const own = context.factsOf(month).events();
    own.names.forEach((name, at) => {
      if (own.days[at]! >= from && own.days[at]! < to) byName[name]! += own.events[at]!;
    });
    context.factsAdded += own.names.length;
  }
  for (const part of facts) {
    const own = part.facts.events();
    context.factsAdded += own.names.length;
    own.names.forEach((name, at) => (byName[name]! += own.events[at]!));
  }
  const events = new Map<number, number>();
  eachSelected(query, rows, context, (chunk, selected) => {
    if (byValue) addValues(events, chunk, selected);
    else addNames(byName, chunk, selected);
  });
  for (let name = 0; name < byName.length; name++)
    if (byName[name]! > 0) add(events, name * valuesMax, byName[name]!);
  return events;
}

/** Calls `take` with the indexes of the selected properties of each chunk. */
function eachSelected(
  { period, filters }: PropertiesQuery,
  rows: readonly RowsPart[],
  context: QueryContext,
  take: (chunk: Chunk, selected: Uint32Array) => void,
): void {
  const masks = propertyMasks(filters, context);
  const rowFilters = filters.filter((filter) => !isPropertyFilter(filter));
  const rowMasks = columnMasks(rowFilters, context);
  for (const { chunk } of rows) {
    context.throwIfCancelled();
    context.rowsRead += chunk.properties;
    take(chunk, selectProperties(chunk, period, masks, rowMasks));
  }
}

type VisitMeasures = Pick<Measures, "visits" | "allVisits" | "conversions">;

const noVisits: VisitMeasures = { visits: 0, allVisits: 0, conversions: 0 };

/** Counts the distinct visits of the selected properties by key, from the rows: facts count no visits of properties. */
function visitsIn(
  query: PropertiesQuery,
  byValue: boolean,
  keys: Iterable<number>,
  context: QueryContext,
): { of(key: number): VisitMeasures } {
  const { period, goal, filters, metrics } = query;
  const places = new Map(Array.from(keys, (key, place) => [key, place]));
  const [visits, conversions] = [new Uint32Array(places.size), new Uint32Array(places.size)];
  const reached = goal && visitsThatReached(goal, period, context);
  const lists = new GroupsOfVisits();
  // Without a filter by property, all visits are also those that have none.
  const isOfAll = metrics?.includes("visits_percentage") && !filters.some(isPropertyFilter);
  const all = isOfAll ? distinctVisits(query, context) : undefined;
  eachSelected(query, allRows(context.site, query), context, (chunk, selected) => {
    const { propertyRow, visit: visitOf } = chunk;
    const keyOf = keysOf(chunk, byValue);
    for (const index of selected) {
      const visit = visitOf[propertyRow[index]!]!;
      const place = places.get(keyOf(index))!;
      if (visit === 0 || !lists.add(visit, place)) continue;
      visits[place]!++;
      // Its page views may all be from before the period.
      all?.add(visit);
      if (reached?.has(visit)) conversions[place]!++;
    }
  });
  const allVisits = (all ?? lists).size;
  return {
    of: (key) => {
      const place = places.get(key)!;
      return { visits: visits[place]!, allVisits, conversions: conversions[place]! };
    },
  };
}

/** Sums up the amounts of the goal by key, from the rows; undefined where they are not known. */
function amountsIn(
  query: PropertiesQuery,
  byValue: boolean,
  context: QueryContext,
): PropertyAmounts | undefined {
  const amounts = query.goal && PropertyAmounts.of(query.goal, query.period, context);
  if (amounts !== undefined)
    eachSelected(query, allRows(context.site, query), context, (chunk, selected) =>
      amounts.add(chunk, selected, keysOf(chunk, byValue)),
    );
  return amounts;
}

/** Returns the chunks of the period, also those whose facts are known. */
function allRows(site: SiteWithFacts, query: PropertiesQuery): readonly RowsPart[] {
  const { facts, rows } = factsAndRows(site, query, Infinity, { bounds: propertyBounds });
  return [...facts, ...rows];
}

function keysOf({ propertyName, propertyValue }: Chunk, byValue: boolean): (index: number) => number {
  return (index) => propertyName[index]! * valuesMax + (byValue ? propertyValue[index]! : 0);
}

function add(events: Map<number, number>, key: number, count: number): void {
  events.set(key, (events.get(key) ?? 0) + count);
}

/** Counts the selected properties of a chunk by name, whatever their values. */
function addNames(byName: Float64Array, { propertyName }: Chunk, selected: Uint32Array): void {
  for (let at = 0; at < selected.length; at++) byName[propertyName[selected[at]!]!]!++;
}

/** Counts the selected properties of a chunk by name and value. */
function addValues(
  events: Map<number, number>,
  { propertyName, propertyValue }: Chunk,
  selected: Uint32Array,
): void {
  for (let at = 0; at < selected.length; at++) {
    const index = selected[at]!;
    add(events, propertyName[index]! * valuesMax + propertyValue[index]!, 1);
  }
}

/** Returns the indexes of the selected properties of a chunk, until those of the next one are. */
function selectProperties(
  chunk: Chunk,
  { startMs, endMs }: Period,
  { names, values }: PropertyFilterMasks,
  rowMasks: ReadonlyMap<ColumnName, Mask>,
): Uint32Array {
  const { propertyName, propertyValue, propertyRow } = chunk;
  const whole = chunk.propertyMinMs >= startMs && chunk.propertyMaxMs <= endMs;
  const kept = keptScratch.take(chunk.properties);
  let count = 0;
  for (let index = 0; index < chunk.properties; index++) {
    kept[count] = index;
    if (propertyRow[index] === movedRow) continue;
    if (names[propertyName[index]!] === 0 || values[propertyValue[index]!] === 0) continue;
    if (!whole && (chunk.propertyTimeMs(index) < startMs || chunk.propertyTimeMs(index) > endMs)) continue;
    count++;
  }
  return keepMasked(chunk, kept.subarray(0, count), rowMasks);
}
