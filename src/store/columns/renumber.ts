/**
 * Rewrites a chunk's columns after its website's dictionaries and tuples were rebuilt: with other ids, and without rows
 * that were removed.
 */
import { lazyObject } from "../../lib/lazy.ts";
import type { ColumnName } from "../../core/questions/dimension.ts";
import { grown, IdColumn } from "./column.ts";
import { columnsOf, plainNames, type Columns } from "./columns.ts";
import { editedColumns, type RowEdits } from "./row-edits.ts";
import { growingHalves, growingWords } from "../values/growing.ts";

/** New ids by old id. Ids that no remaining row has become 0; so does the overflow, whose id is 0 before and after. */
export type NewIds = Uint32Array;

/** The new ids for all columns of a chunk that hold ids. */
export interface ChunkIds {
  readonly columns: Readonly<Record<ColumnName, NewIds>>;
  readonly propertyNames: NewIds;
  readonly propertyValues: NewIds;
}

/** One rewriting of a chunk's columns: its rows are edited, and then have new ids. */
export interface Rewrite {
  readonly ids: ChunkIds;
  readonly edits?: RowEdits | undefined;
}

/** Returns columns that a file holds, rewritten in this order. */
export function rewritten(columns: Columns, rewrites: readonly Rewrite[]): Columns {
  return rewrites.reduce((before, rewrite) => {
    const { ids, ...made } = rewrittenWhenAsked(before, rewrite);
    return { ...made, ids: { ...ids } };
  }, columns);
}

/** Does the same for columns that are loaded and evicted: keeps the result as long as the source's stay loaded. */
export function rewrittenSource(source: () => Columns, rewrites: readonly Rewrite[]): () => Columns {
  return rewrites.reduce((before, rewrite) => {
    const made = new WeakMap<Columns, Columns>();
    return () => {
      const columns = before();
      const known = made.get(columns) ?? rewrittenWhenAsked(columns, rewrite);
      made.set(columns, known);
      return known;
    };
  }, source);
}

function rewrittenWhenAsked(columns: Columns, { ids, edits }: Rewrite): Columns {
  const own = edits === undefined ? columns : editedColumns(columns, edits, columns.propertyRow.length);
  return renumberedWhenAsked(own, ids, own.time.length);
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

function renumberedWords(old: Uint32Array, newIds: NewIds): Uint32Array {
  const words = growingWords(old.length);
  for (let at = 0; at < old.length; at++) words[at] = newIds[old[at]!]!;
  return words;
}

function renumberedRows({ values }: IdColumn, rows: number, newIds: NewIds): IdColumn {
  const wide = growingWords(values.length);
  let greatest = 0;
  for (let row = 0; row < rows; row++) {
    const id = newIds[values[row]!]!;
    wide[row] = id;
    if (id > greatest) greatest = id;
  }
  return new IdColumn(greatest > 0xffff ? wide : grown(wide, growingHalves(wide.length)));
}
