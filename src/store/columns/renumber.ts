/** Renumbers the ids in a chunk's columns after its website's dictionaries and tuples were rebuilt with other ids. */
import { lazyObject } from "../../lib/lazy.ts";
import type { ColumnName } from "../../core/dimension.ts";
import { grown, IdColumn } from "./column.ts";
import { columnsOf, plainNames, type Columns } from "./columns.ts";
import { growingHalves, growingWords } from "../values/growing.ts";

/** New ids by old id. Ids that no remaining row has become 0; so does the overflow, whose id is 0 before and after. */
export type NewIds = Uint32Array;

/** The new ids for all columns of a chunk that hold ids. */
export interface ChunkIds {
  readonly columns: Readonly<Record<ColumnName, NewIds>>;
  readonly propertyNames: NewIds;
  readonly propertyValues: NewIds;
}

/** Returns the renumbering that applies `before`, if there is one, and then `after`. */
export function composed(before: ChunkIds | undefined, after: ChunkIds): ChunkIds {
  if (before === undefined) return after;
  const both = (from: NewIds, to: NewIds) => from.map((id) => to[id] as number);
  return {
    columns: columnsOf((name) => both(before.columns[name], after.columns[name])),
    propertyNames: both(before.propertyNames, after.propertyNames),
    propertyValues: both(before.propertyValues, after.propertyValues),
  };
}

/** Returns the columns with new ids. Columns without ids are not copied. */
export function renumbered(columns: Columns, ids: ChunkIds, rows: number): Columns {
  const made = renumberedWhenAsked(columns, ids, rows);
  return { ...made, ids: { ...made.ids } };
}

function renumberedWhenAsked(columns: Columns, ids: ChunkIds, rows: number): Columns {
  const plain = plainNames.map((name) => [name, () => columns[name]]);
  return lazyObject<Columns>({
    ...Object.fromEntries(plain),
    ids: () =>
      lazyObject(columnsOf((name) => () => renumberedRows(columns.ids[name], rows, ids.columns[name]))),
    propertyName: () => renumberedWords(columns.propertyName, ids.propertyNames),
    propertyValue: () => renumberedWords(columns.propertyValue, ids.propertyValues),
  });
}

/**
 * Does the same for columns that are loaded and evicted: renumbers a column when it is asked for, and keeps the result
 * as long as the source's columns stay loaded.
 */
export function renumberedSource(source: () => Columns, ids: ChunkIds, rows: number): () => Columns {
  const made = new WeakMap<Columns, Columns>();
  return () => {
    const columns = source();
    const known = made.get(columns) ?? renumberedWhenAsked(columns, ids, rows);
    made.set(columns, known);
    return known;
  };
}

function renumberedWords(old: Uint32Array, newIds: NewIds): Uint32Array {
  const words = growingWords(old.length);
  for (let at = 0; at < old.length; at++) words[at] = newIds[old[at] as number] as number;
  return words;
}

function renumberedRows({ values }: IdColumn, rows: number, newIds: NewIds): IdColumn {
  const wide = growingWords(values.length);
  let greatest = 0;
  for (let row = 0; row < rows; row++) {
    const id = newIds[values[row] as number] as number;
    wide[row] = id;
    if (id > greatest) greatest = id;
  }
  return new IdColumn(greatest > 0xffff ? wide : grown(wide, growingHalves(wide.length)));
}
