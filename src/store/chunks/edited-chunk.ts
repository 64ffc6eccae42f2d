/**
 * A chunk after a rewrite. In one that still changes, rows keep their numbers, because beacons name them: a removed row
 * stays there as an empty one, which has no values, and which nothing counts. A flood leaves millions of such rows, whose
 * columns are mapped from files (basis.ts). They are not copied: the columns that hits may change are changed where they
 * are, and new ids are made when they are asked for, until a checkpoint has written a file with them. Whoever maps the
 * same file makes the same of it.
 */
import { Lru } from "../../lib/collections/lru.ts";
import { lazyObject } from "../../lib/lazy.ts";
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import type { Chunk } from "./chunk.ts";
import type { ChunkHead } from "./chunk-head.ts";
import { grown, IdColumn, type Ids } from "../columns/column.ts";
import { columnsOf, movedRow, plainColumns, plainNames, plainOf, zerosOf } from "../columns/columns.ts";
import type { Columns, Plain, PlainName } from "../columns/columns.ts";
import {
  idsAfter,
  renumbered,
  rewrittenSource,
  type ChunkIds,
  type NewIds,
  type Rewrite,
} from "../columns/renumber.ts";
import { addedFlags, rowEdit, type RowEdits } from "../columns/row-edits.ts";
import { emptyRowFlags } from "../columns/row-flag.ts";

/** The columns of ids, made anew, that stay in memory with the same new ids: those of the rows read last. */
const madeMax = 32;
/** The sealed chunks whose rewritten columns stay in memory until a checkpoint has them. */
const sealedMax = 4;

const madeIds = new WeakMap<ChunkIds, Lru<object, Ids>>();
const sealedColumns = new WeakMap<ChunkIds, Lru<Chunk, Columns>>();

/** Returns a chunk that still changes after a rewrite. The chunk from before must not be used any more. */
export function rewrittenOpen(chunk: Chunk, rewrite: Rewrite): Chunk {
  // The basis is known once they are read.
  const before = chunk.columns;
  const { basis, changed, properties, rows } = chunk;
  const { edits, ids } = rewrite;
  if (edits !== undefined) markEmpty(chunk, edits);
  const head = edits === undefined ? chunk.head : emptiedHead(chunk, edits);
  // Rows of a damaged file are saved as they were found, without it.
  const isLost = basis?.isDamaged === true && edits !== undefined;
  if (basis === undefined || changed === undefined || isLost) {
    const made = renumbered(before, ids, rows);
    return chunk.withColumns(edits === undefined ? made : withEmptyRows(made, edits, properties), head);
  }
  const rewrites = [...basis.rewrites, rewrite];
  const columns = { ...before, ids: columnsOf((name) => madeColumn(before.ids[name], name, rewrites)) };
  if (edits !== undefined) {
    for (const name of plainNames) emptied(name, columns[name], edits);
    const gone = propertiesOfRemoved(columns, edits, properties);
    if (gone.length > 0) {
      Object.assign(columns, withoutProperties(columns, gone));
      for (const index of gone) changed.moved.push(index);
    }
  }
  columns.propertyName = newWords(columns.propertyName, properties, ids.propertyNames);
  columns.propertyValue = newWords(columns.propertyValue, properties, ids.propertyValues);
  const copy = chunk.withColumns(columns, head);
  copy.basis = { ...basis, rewrites };
  copy.changed = changed;
  return copy;
}

/** Returns a sealed chunk after a rewrite. It has a basis, and is in memory only until a checkpoint has it. */
export function rewrittenBased(chunk: Chunk, rewrite: Rewrite, head: ChunkHead): Chunk {
  const known = recent(sealedColumns, rewrite.ids, sealedMax);
  const make = () => {
    const { columns, properties } = chunk;
    const used = plainOf((name) =>
      plainColumns[name].of === "rows" ? columns[name] : columns[name].subarray(0, properties),
    );
    const made = rewrittenSource(() => ({ ...used, ids: columns.ids }), [rewrite])();
    known.set(chunk, made);
    return made;
  };
  return chunk.madeFrom({ chunk, rewrites: [rewrite] }, () => known.get(chunk) ?? make(), head);
}

/**
 * Returns columns in a file after rewrites by which rows keep their numbers. They are changed in their own memory, each
 * when it is asked for. Columns of properties are as they are: a chunk has those that change in memory.
 */
export function rewrittenInPlace(columns: Columns, rewrites: readonly Rewrite[]): Columns {
  if (rewrites.length === 0) return columns;
  const plain = plainNames.map((name) => [
    name,
    () =>
      rewrites.reduce(
        (column, { edits }) => (edits === undefined ? column : emptied(name, column, edits)),
        columns[name] as Plain,
      ),
  ]);
  const ids = (name: ColumnName) => () => new IdColumn(idsAfter(columns.ids[name].values, name, rewrites));
  return lazyObject<Columns>({ ...Object.fromEntries(plain), ids: () => lazyObject(columnsOf(ids)) });
}

/** `rewrites`: all since the ids were stored. */
function madeColumn({ stored }: IdColumn, name: ColumnName, rewrites: readonly Rewrite[]): IdColumn {
  const key = {};
  const known = recent(madeIds, rewrites.at(-1)!.ids, madeMax);
  const make = () => {
    const made = idsAfter(stored, name, rewrites);
    known.set(key, made);
    return made;
  };
  return new IdColumn({ stored, make: () => known.get(key) ?? make() });
}

function recent<K, V>(all: WeakMap<ChunkIds, Lru<K, V>>, ids: ChunkIds, entriesMax: number): Lru<K, V> {
  return all.getOrInsertComputed(ids, () => new Lru(entriesMax));
}

/** Marks rows that are empty already as removed, too: one rewrite says so of all of them then. */
function markEmpty({ flags, rows }: Chunk, edits: RowEdits): void {
  for (let row = 0; row < rows; row++) if (flags[row] === emptyRowFlags) edits[row] = rowEdit.remove;
}

/** Returns columns with empty rows in place of the removed ones. The columns of ids are changed, all others copied. */
function withEmptyRows(columns: Columns, edits: RowEdits, properties: number): Columns {
  const plain = plainOf((name) =>
    emptied(name, grown(columns[name], zerosOf(name, columns[name].length)), edits),
  );
  for (const name of columnNames) {
    const { values } = columns.ids[name];
    for (let row = 0; row < edits.length; row++) if (edits[row] === rowEdit.remove) values[row] = 0;
  }
  const own = { ...plain, ids: columns.ids };
  const gone = propertiesOfRemoved(own, edits, properties);
  return { ...own, ...withoutProperties(own, gone) };
}

/** Empties the removed rows in a column. Where an entry is so already its page is not written, and takes no memory. */
function emptied(name: PlainName, column: Plain, edits: RowEdits): Plain {
  if (plainColumns[name].of === "properties") return column;
  if (name === "time") return clearTimes(column, edits);
  for (let row = 0; row < edits.length; row++) {
    const edit = edits[row]!;
    if (edit === rowEdit.none) continue;
    const before = column[row]!;
    const now = emptiedEntry(name, before, edit);
    if (now !== before) column[row] = now;
  }
  return column;
}

function emptiedEntry(name: PlainName, before: number, edit: number): number {
  if (name === "flags") return edit === rowEdit.remove ? emptyRowFlags : before | addedFlags[edit]!;
  return edit === rowEdit.remove ? 0 : before;
}

/** Gives each removed row the time of the one before it: it tells nothing, and the rows stay in order. */
function clearTimes(time: Plain, edits: RowEdits): Plain {
  let ms = Infinity;
  for (let row = 0; row < edits.length; row++)
    if (edits[row] !== rowEdit.remove && time[row]! < ms) ms = time[row]!;
  if (ms === Infinity) ms = 0;
  for (let row = 0; row < edits.length; row++)
    if (edits[row] !== rowEdit.remove) ms = time[row]!;
    else if (time[row] !== ms) time[row] = ms;
  return time;
}

/** Returns the indexes of the properties of removed rows. */
function propertiesOfRemoved({ propertyRow }: Columns, edits: RowEdits, properties: number): number[] {
  const found: number[] = [];
  for (let index = 0; index < properties; index++) {
    const row = propertyRow[index]!;
    if (row !== movedRow && edits[row] === rowEdit.remove) found.push(index);
  }
  return found;
}

/** Returns the columns of properties without these: copies, but for the rows, which hits may change where they are. */
function withoutProperties(columns: Columns, gone: readonly number[]) {
  const copy = <N extends "propertyName" | "propertyValue" | "propertyTime" | "propertyNumber">(name: N) =>
    grown(columns[name], zerosOf(name, columns[name].length)) as Columns[N];
  const [propertyName, propertyValue] = [copy("propertyName"), copy("propertyValue")];
  const [propertyTime, propertyNumber] = [copy("propertyTime"), copy("propertyNumber")];
  const { propertyRow } = columns;
  for (const index of gone) {
    propertyRow[index] = movedRow;
    propertyName[index] = propertyValue[index] = propertyTime[index] = 0;
    propertyNumber[index] = NaN;
  }
  return { propertyName, propertyValue, propertyTime, propertyNumber };
}

/** Returns a copy with the new ids; the same words if none is another. */
function newWords(old: Uint32Array, count: number, newIds: NewIds): Uint32Array {
  let at = 0;
  while (at < count && newIds[old[at]!] === old[at]) at++;
  if (at === count) return old;
  const words = grown(old, zerosOf("propertyName", old.length)) as Uint32Array;
  for (; at < count; at++) words[at] = newIds[old[at]!]!;
  return words;
}

/** Returns the head of a chunk that still changes, whose removed rows become empty. */
function emptiedHead(chunk: Chunk, edits: RowEdits): ChunkHead {
  const [minMs = null, , ...ofProperties] = boundsOf(chunk, (row) => edits[row] !== rowEdit.remove);
  // The newest row decides when the chunk is sealed, whether it was removed or not.
  return { ...chunk.head, bounds: [minMs, chunk.maxMs, ...ofProperties] };
}

/** Whether all rows of a chunk are empty. */
export function isEmpty({ minMs }: Pick<Chunk, "minMs">): boolean {
  return minMs === Infinity;
}

/** Returns the head of a chunk without the removed rows; undefined if no row stays. */
export function editedHead(chunk: Chunk, edits: RowEdits): ChunkHead | undefined {
  const { head, flags, propertyRow } = chunk;
  const isKept = (row: number) => edits[row] !== rowEdit.remove && flags[row] !== emptyRowFlags;
  let [rows, properties] = [0, 0];
  for (let row = 0; row < chunk.rows; row++) if (edits[row] !== rowEdit.remove) rows++;
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row !== movedRow && isKept(row)) properties++;
  }
  return rows === 0 ? undefined : { ...head, rows, properties, bounds: boundsOf(chunk, isKept) };
}

/** Returns minMs, maxMs, propertyMinMs and propertyMaxMs of the rows that are kept; null where there is none. */
function boundsOf(chunk: Chunk, isKept: (row: number) => boolean): (number | null)[] {
  const { rows, properties, monthMs, time, propertyRow } = chunk;
  // Bounds in an array took three times as long, and hits wait for it.
  let [first, last, propertyMinMs, propertyMaxMs] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let row = 0; row < rows; row++) {
    if (!isKept(row)) continue;
    const own = time[row]!;
    if (own < first) first = own;
    if (own > last) last = own;
  }
  for (let index = 0; index < properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow || !isKept(row)) continue;
    const ms = chunk.propertyTimeMs(index);
    propertyMinMs = Math.min(propertyMinMs, ms);
    propertyMaxMs = Math.max(propertyMaxMs, ms);
  }
  const bounds = [monthMs + first, monthMs + last, propertyMinMs, propertyMaxMs];
  return bounds.map((ms) => (Number.isFinite(ms) ? ms : null));
}
