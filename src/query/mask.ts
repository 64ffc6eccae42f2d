/**
 * A filter, evaluated once over a dictionary: a byte per id that says whether rows with it are selected. Rows
 * hold tuple ids, so the masks of a tuple's members become one mask over the tuples.
 */
import { operators, type Filter, type OperatorName } from "../core/query.ts";
import { normalizeReferrer } from "../core/referrer.ts";
import { dimensions, type ColumnName, type DimensionName } from "../core/dimension.ts";
import type { Dictionary } from "../store/dictionary.ts";
import { columnMembers, type Site } from "../store/site.ts";
import { formsOf } from "./forms.ts";

/** 1: selected. By id; id 0 is overflow. */
export type Mask = Uint8Array;

type Test = (form: string, operands: readonly string[]) => boolean;

const equals: Test = (form, operands) => operands.includes(form);
const contains: Test = (form, [operand]) => form.includes(operand as string);
const startsWith: Test = (form, [operand]) => form.startsWith(operand as string);
const endsWith: Test = (form, [operand]) => form.endsWith(operand as string);

/** What an operator asks of one form of a value; a negative one asks the same and wants the opposite. */
const tests: Readonly<Record<OperatorName, Test>> = {
  eq: equals,
  neq: equals,
  contains,
  not_contains: contains,
  starts_with: startsWith,
  not_starts_with: startsWith,
  ends_with: endsWith,
  not_ends_with: endsWith,
  in: equals,
  not_in: equals,
};
const negativeOperators: ReadonlySet<OperatorName> = new Set(
  operators.filter(({ negative }) => negative).map(({ name }) => name),
);

export function isNegative({ operator }: Filter): boolean {
  return negativeOperators.has(operator);
}

/** Clears the ids of `dictionary` that the filter does not let through. */
export function applyFilter(
  mask: Mask,
  dictionary: Dictionary,
  forms: (value: string) => readonly string[],
  filter: Filter,
): void {
  const negative = isNegative(filter);
  const test = tests[filter.operator];
  const operands = filter.operands.map((operand) => comparable(filter, operand));
  if (!negative) mask[0] = 0;
  for (let id = 1; id < mask.length; id++)
    if (mask[id] === 1 && forms(dictionary.value(id)).some((form) => test(form, operands)) === negative)
      mask[id] = 0;
}

/** The operand as forms are: lower case, and a referrer's URL as referrers are stored. */
function comparable({ name }: Filter, operand: string): string {
  const url = name === "referrer" && /^https?:\/\//i.test(operand);
  return ((url ? normalizeReferrer(operand) : undefined) ?? operand).toLowerCase();
}

/** For each column that a filter speaks of, the ids of it that all filters let through. */
export function columnMasks(site: Site, filters: readonly Filter[]): Map<ColumnName, Mask> {
  const byDimension = Map.groupBy(filters, ({ name }) => name);
  const masks = new Map<ColumnName, Mask>();
  for (const [index, { name, column }] of dimensions.entries()) {
    const own = byDimension.get(name);
    if (own === undefined) continue;
    const values = dimensionMask(site, index, name, own);
    masks.set(column, column === "path" ? values : narrowed(site, column, index, values, masks.get(column)));
  }
  return masks;
}

function dimensionMask(site: Site, index: number, name: DimensionName, filters: readonly Filter[]): Mask {
  const dictionary = site.dictionaries[index] as Dictionary;
  const mask = new Uint8Array(dictionary.size).fill(1);
  for (const filter of filters) applyFilter(mask, dictionary, formsOf[name], filter);
  return mask;
}

/** The mask over a column's tuples whose member `dimension` is let through, and which were so before. */
function narrowed(
  site: Site,
  column: Exclude<ColumnName, "path">,
  dimension: number,
  values: Mask,
  before: Mask | undefined,
): Mask {
  const { members, size } = site.tuples[column];
  const ids = members[columnMembers[column].indexOf(dimension)] as Uint32Array;
  const mask = before ?? new Uint8Array(size).fill(1);
  for (let tuple = 0; tuple < size; tuple++)
    mask[tuple] = (mask[tuple] as number) & (values[ids[tuple] as number] as number);
  return mask;
}
