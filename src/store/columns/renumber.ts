/**
 * Rewrites a chunk's columns after its website's dictionaries and tuples were rebuilt: with other ids, and without rows
 * that were removed. How depends on where the columns are:
 *
 *   open                      rewrittenOpen: rows keep their numbers; at once, but for new ids of mapped columns
 *   sealed, in memory         renumbered, after editedColumns: at once
 *   sealed, with a basis      rewrittenBased: when asked for, and again when it was not used lately
 *   sealed, in a file         rewrittenSource: when asked for, for as long as the file's columns stay mapped
 *   sent to another thread    rewrittenInPlace: columns of an open chunk that are mapped there, when asked for
 *   written to a new file     rewritten: in the thread that writes it, once
 *
 * `rewrittenChunk` (rebuild.ts) chooses among the first four; those not here are in edited-chunk.ts.
 */
import { lazyObject } from "../../lib/lazy.ts";
import type { ColumnName } from "../../core/questions/dimension.ts";
import { IdColumn, type Ids } from "./column.ts";
import { columnsOf, plainNames, type Columns } from "./columns.ts";
import { editedColumns, rowEdit, type RowEdits } from "./row-edits.ts";
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
      return made.getOrInsertComputed(columns, () => rewrittenWhenAsked(columns, rewrite));
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
      lazyObject(
        columnsOf((name) => () => {
          const { values } = columns.ids[name];
          return new IdColumn(renumberedRows(values, rows, ids.columns[name], { made: growing }));
        }),
      ),
    propertyName: () => renumberedWords(columns.propertyName, ids.propertyNames),
    propertyValue: () => renumberedWords(columns.propertyValue, ids.propertyValues),
  });
}

function renumberedWords(old: Uint32Array, newIds: NewIds): Uint32Array {
  const words = growingWords(old.length);
  for (let at = 0; at < old.length; at++) words[at] = newIds[old[at]!]!;
  return words;
}

interface MadeRows {
  readonly edits?: RowEdits | undefined;
  /** Returns memory for so many ids. */
  readonly made: (isWide: boolean, length: number) => Ids;
}

const growing = (isWide: boolean, length: number) => (isWide ? growingWords(length) : growingHalves(length));
const passing = (isWide: boolean, length: number) =>
  isWide ? new Uint32Array(length) : new Uint16Array(length);

/** Removed rows get the id 0. The old ids are read twice, so that no memory of 32 bits a row is needed in between. */
function renumberedRows(old: Ids, rows: number, newIds: NewIds, { edits, made }: MadeRows): Ids {
  const isKept = (row: number) => edits?.[row] !== rowEdit.remove;
  let greatest = 0;
  for (let row = 0; row < rows; row++) {
    const id = newIds[old[row]!]!;
    if (id > greatest && isKept(row)) greatest = id;
  }
  const ids = made(greatest > 0xffff, old.length);
  for (let row = 0; row < rows; row++) if (isKept(row)) ids[row] = newIds[old[row]!]!;
  return ids;
}

/**
 * Returns the ids of a column's rows, which keep their numbers, after at least one rewrite. The last edits have all rows
 * that were removed before, too.
 */
export function idsAfter(old: Ids, name: ColumnName, rewrites: readonly Rewrite[]): Ids {
  const edits = rewrites.findLast((rewrite) => rewrite.edits !== undefined)?.edits;
  const newIds = rewrites.map(({ ids }) => ids.columns[name]);
  const after = newIds.reduce((first, next) => first.map((id) => next[id]!));
  return renumberedRows(old, old.length, after, { edits, made: passing });
}
