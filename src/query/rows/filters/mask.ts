/**
 * A mask: a filter evaluated once over a dictionary, as a byte for each id that says whether rows with it are selected.
 * Rows hold tuple ids, so the masks of a tuple's members become one mask over the tuples. Masks are cached, and
 * extended when their dictionary has grown.
 */
import { formTest, operatorOf } from "../../../core/questions/operator.ts";
import type { Filter } from "../../../core/questions/query.ts";
import { normalizeReferrer } from "../../../core/addresses/referrer.ts";
import { columnNames, type ColumnName } from "../../../core/questions/dimension.ts";
import { columnOf, ownDimension, type RowName } from "../../../core/questions/stored-dimension.ts";
import { overflowId } from "../../../store/values/dictionary.ts";
import type { TupleColumn } from "../../../store/state/site.ts";
import type { ReadDictionary } from "../../../store/mirror/read-site.ts";
import type { QueryContext } from "../../cache/context.ts";
import { idsOf } from "../../names/derived.ts";
import { formsOf, type Forms } from "../../names/forms.ts";
import { pathDictionary } from "../../../store/values/dictionaries.ts";

/** By id, with id 0 for overflow: 1 if it is selected. */
export type Mask = Uint8Array;

export function isNegative({ operator }: Filter): boolean {
  return operatorOf(operator).negative;
}

/** The tests of values between two checks for cancellation, about ten milliseconds of work. */
const testsAtOnce = 2 ** 15;

/** Clears the ids of `dictionary` from `first` up to `end` that do not pass all filters. Throws Cancelled. */
export function applyFilters(
  mask: Mask,
  dictionary: ReadDictionary,
  forms: Forms,
  filters: readonly Filter[],
  first: number,
  context: QueryContext | undefined,
  end = mask.length,
): void {
  context?.throwIfCancelled();
  if (filters.length === 0) return;
  const passes = valueTest(filters, forms);
  const valuesAtOnce = Math.ceil(testsAtOnce / filters.length);
  if (!filters.every(isNegative)) mask[overflowId] = 0;
  for (let id = Math.max(1, first); id < end; id++) {
    if (id % valuesAtOnce === 0) context?.throwIfCancelled();
    if (mask[id] === 1 && !passes(dictionary.value(id))) mask[id] = 0;
  }
}

/** Returns whether a value passes all filters. Its forms, of which some take long, are made once for all of them. */
export function valueTest(filters: readonly Filter[], forms: Forms): (value: string) => boolean {
  const tests = filters.map((filter) => {
    const operator = operatorOf(filter.operator);
    const operands = filter.operands.map((operand) => comparable(filter, operand));
    return { isMet: formTest(operator, operands), negative: operator.negative };
  });
  return (value) => {
    const own = forms(value);
    for (const { isMet, negative } of tests) if (own.some(isMet) === negative) return false;
    return true;
  };
}

/** Returns the operand in the form of the stored values: a referrer's URL is normalized as referrers are. */
function comparable({ name }: Filter, operand: string): string {
  const url = ownDimension(name as RowName) === "referrer" && /^https?:\/\//i.test(operand);
  return (url ? normalizeReferrer(operand) : undefined) ?? operand;
}

/** Returns, for each column with a filter, the mask of its ids that pass all filters. */
export function columnMasks(filters: readonly Filter[], context: QueryContext): Map<ColumnName, Mask> {
  const byColumn = new Map<ColumnName, Mask>();
  for (const column of columnNames) {
    const own = filters.filter(({ name }) => columnOf(name) === column);
    if (own.length === 0) continue;
    const mask = column === "path" ? pathMask(own, context) : tupleMask(column, own, context);
    byColumn.set(column, mask);
  }
  return byColumn;
}

/** Returns the paths that filters on paths select. */
export function pathMask(filters: readonly Filter[], context: QueryContext): Mask {
  return dictionaryMask(pathDictionary(context.site), formsOf("path"), filters, context);
}

/**
 * Returns the mask of a dictionary's ids that pass all filters. Only values added since the last call are evaluated.
 */
export function dictionaryMask(
  dictionary: ReadDictionary,
  forms: Forms,
  filters: readonly Filter[],
  context: QueryContext,
): Mask {
  const { size } = dictionary;
  return context.cache.getAlways<Mask>(
    dictionary,
    size,
    keyOf(filters),
    size,
    (known = new Uint8Array(0)) => {
      const mask = new Uint8Array(size).fill(1);
      mask.set(known);
      applyFilters(mask, dictionary, forms, filters, known.length, context);
      return { value: mask, bytes: size };
    },
  );
}

/** The tuples of which every member is let through by the filters of its dimension. */
function tupleMask(column: TupleColumn, filters: readonly Filter[], context: QueryContext): Mask {
  const { site } = context;
  const table = site.tuples[column];
  const { size } = table;
  return context.cache.getAlways<Mask>(table, size, keyOf(filters), size, (known = new Uint8Array(0)) => {
    const mask = new Uint8Array(size).fill(1);
    mask.set(known);
    for (const [name, own] of Map.groupBy(filters, ({ name }) => name as RowName)) {
      const { dictionary, ofColumn } = idsOf(site, name);
      const values = dictionaryMask(dictionary, formsOf(name), own, context);
      narrow(mask, ofColumn as Uint32Array, values, known.length);
    }
    return { value: mask, bytes: size };
  });
}

/** Clears the tuples from `first` on whose member does not pass. */
function narrow(mask: Mask, members: Uint32Array, values: Mask, first: number): void {
  for (let tuple = first; tuple < mask.length; tuple++) mask[tuple] = mask[tuple]! & values[members[tuple]!]!;
}

/** Returns a key that is equal for the same filters in any order. */
export function keyOf(filters: readonly Filter[]): string {
  return filters
    .map((filter) => JSON.stringify([filter.name, filter.operator, ...filter.operands]))
    .sort()
    .join();
}
