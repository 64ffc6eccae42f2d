/** Filters on properties: the names and values that they select, and the rows that have such a property. */
import { propertyFilterNames } from "../../../core/questions/dimension.ts";
import type { Filter } from "../../../core/questions/query.ts";
import type { Chunk } from "../../../store/columns/chunk.ts";
import { movedRow } from "../../../store/columns/columns.ts";
import type { ReadDictionary, ReadSite } from "../../../store/mirror/read-site.ts";
import type { QueryContext } from "../../cache/context.ts";
import { itself } from "../../names/forms.ts";
import { dictionaryMask, type Mask } from "./mask.ts";

/** The properties that the filters select: a byte by name id, and a byte by value id. */
export interface PropertyMasks {
  readonly names: Mask;
  readonly values: Mask;
}

export function isPropertyFilter({ name }: Filter): boolean {
  return (propertyFilterNames as readonly string[]).includes(name);
}

export function propertyMasks(
  site: ReadSite,
  filters: readonly Filter[],
  context: QueryContext,
): PropertyMasks {
  const mask = (name: string, dictionary: ReadDictionary) =>
    dictionaryMask(
      dictionary,
      itself,
      filters.filter((filter) => filter.name === name),
      context,
    );
  return { names: mask("prop_name", site.propertyNames), values: mask("prop_value", site.propertyValues) };
}

/** Returns a byte for each row: 1 if it has a property that the masks select. */
export function rowsWithProperty(chunk: Chunk, { names, values }: PropertyMasks): Mask {
  const { propertyName, propertyValue, propertyRow } = chunk;
  const rows = new Uint8Array(chunk.rows);
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow) continue;
    if (names[propertyName[index]!] === 1 && values[propertyValue[index]!] === 1) rows[row] = 1;
  }
  return rows;
}
