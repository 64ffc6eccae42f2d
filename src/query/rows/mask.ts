/**
 * A filter, evaluated once over a dictionary: a byte per id that says whether rows with it are selected. Rows
 * hold tuple ids, so the masks of a tuple's members become one mask over the tuples. Masks are kept, and extended
 * when their dictionary has grown.
 */
import { formTest, operatorOf } from "../../core/operator.ts";
import type { Filter } from "../../core/query.ts";
import { normalizeReferrer } from "../../core/referrer.ts";
import {
  columnNames,
  dimensionIndex,
  dimensions,
  type ColumnName,
  type DimensionName,
  type FilterName,
} from "../../core/dimension.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { columnMembers, type TupleColumn } from "../../store/state/site.ts";
import type { ReadDictionary, ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryCache } from "../cache/cache.ts";
import { formsOf, type Forms } from "../names/forms.ts";

/** 1: selected. By id; id 0 is overflow. */
export type Mask = Uint8Array;

export function isNegative({ operator }: Filter): boolean {
  return operatorOf(operator).negative;
}

/** Clears the ids of `dictionary` from `first` on that the filter does not let through. */
function applyFilter(
  mask: Mask,
  dictionary: ReadDictionary,
  forms: Forms,
  filter: Filter,
  first: number,
): void {
  const operator = operatorOf(filter.operator);
  const { negative } = operator;
  const test = formTest(
    operator,
    filter.operands.map((operand) => comparable(filter, operand)),
  );
  if (!negative) mask[overflowId] = 0;
  for (let id = Math.max(1, first); id < mask.length; id++)
    if (mask[id] === 1 && forms(dictionary.value(id)).some(test) === negative) mask[id] = 0;
}

/** The operand as forms are: a referrer's URL as referrers are stored. */
function comparable({ name }: Filter, operand: string): string {
  const url = name === "referrer" && /^https?:\/\//i.test(operand);
  return (url ? normalizeReferrer(operand) : undefined) ?? operand;
}

/** For each column that a filter speaks of, the ids of it that all filters let through. */
export function columnMasks(
  site: ReadSite,
  filters: readonly Filter[],
  cache: QueryCache,
): Map<ColumnName, Mask> {
  const byColumn = new Map<ColumnName, Mask>();
  for (const column of columnNames) {
    const own = filters.filter(({ name }) => columnOf(name) === column);
    if (own.length === 0) continue;
    const mask =
      column === "path" ? valueMask(site, "path", own, cache) : tupleMask(site, column, own, cache);
    byColumn.set(column, mask);
  }
  return byColumn;
}

function columnOf(name: FilterName): ColumnName | undefined {
  return dimensions.find((dimension) => dimension.name === name)?.column;
}

/** The values of one dimension. */
function valueMask(site: ReadSite, name: DimensionName, filters: readonly Filter[], cache: QueryCache): Mask {
  return dictionaryMask(
    site.dictionaries[dimensionIndex[name]] as ReadDictionary,
    formsOf[name],
    filters,
    cache,
  );
}

/** The ids of a dictionary that all filters let through. Only values that came since the last time are looked at. */
export function dictionaryMask(
  dictionary: ReadDictionary,
  forms: Forms,
  filters: readonly Filter[],
  cache: QueryCache,
): Mask {
  const { size } = dictionary;
  return cache.getAlways<Mask>(dictionary, size, keyOf(filters), size, (known = new Uint8Array(0)) => {
    const mask = new Uint8Array(size).fill(1);
    mask.set(known);
    for (const filter of filters) applyFilter(mask, dictionary, forms, filter, known.length);
    return { value: mask, bytes: size };
  });
}

/** The tuples of which every member is let through by the filters of its dimension. */
function tupleMask(site: ReadSite, column: TupleColumn, filters: readonly Filter[], cache: QueryCache): Mask {
  const table = site.tuples[column];
  const { size } = table;
  return cache.getAlways<Mask>(table, size, keyOf(filters), size, (known = new Uint8Array(0)) => {
    const mask = new Uint8Array(size).fill(1);
    mask.set(known);
    for (const [name, own] of Map.groupBy(filters, ({ name }) => name as DimensionName)) {
      const member = columnMembers[column].indexOf(dimensionIndex[name]);
      const values = valueMask(site, name, own, cache);
      narrow(mask, table.members[member] as Uint32Array, values, known.length);
    }
    return { value: mask, bytes: size };
  });
}

/** Clears the tuples from `first` on whose member is not let through. */
function narrow(mask: Mask, members: Uint32Array, values: Mask, first: number): void {
  for (let tuple = first; tuple < mask.length; tuple++)
    mask[tuple] = (mask[tuple] as number) & (values[members[tuple] as number] as number);
}

/** The same for the same filters in any order. */
export function keyOf(filters: readonly Filter[]): string {
  return filters
    .map((filter) => JSON.stringify([filter.name, filter.operator, ...filter.operands]))
    .sort()
    .join();
}
