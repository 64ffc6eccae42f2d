/**
 * A block: selected rows of a chunk, few enough to stay in the processor's cache. A block is only valid until the next
 * one is made, and so are the arrays that the functions here return.
 */
import type { ColumnName } from "../../core/questions/dimension.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { VisitSet } from "./visit-numbers.ts";

/**
 * Each block costs some microseconds besides its rows, which matters where few of them are selected: all answers of a page
 * with a filter that selects a tenth of ten million take 66 ms with blocks of 4,096, 56 with 16,384, and no less with more.
 */
export const blockRows = 16_384;

/** A chunk, or copies of some of its rows. */
export interface BlockRows extends Pick<
  Chunk,
  "monthMs" | "sealed" | "sorted" | "time" | "flags" | "duration" | "visit" | "visitFlags"
> {
  readonly ids: Readonly<Record<ColumnName, { readonly values: Uint16Array | Uint32Array }>>;
}

export interface Block {
  readonly chunk: BlockRows;
  /** The first row of the block. */
  readonly start: number;
  /** The selected rows, counted from `start`, in the first `count` entries. */
  readonly rows: Uint32Array;
  readonly count: number;
  /** Whether all rows from `start` on are selected. */
  readonly dense: boolean;
}

/** Writes the groups of a block's selected rows, in their order. The array is only valid until the next block. */
export type GroupsOf = (block: Block) => Uint32Array;

/** The rows of a block of which all are selected. */
export const allRows = Uint32Array.from({ length: blockRows }, (_, row) => row);

const keptRows = new Uint32Array(blockRows);
const scratchIds = new Uint32Array(blockRows);
const scratchFlags = new Uint8Array(blockRows);
const scratchDurations = new Uint32Array(blockRows);
const scratchVisits = new Uint32Array(blockRows);
const scratchVisitFlags = new Uint8Array(blockRows);

/** Returns the ids of a column for all rows from a block's start on, selected or not. */
export function blockIds(
  { chunk, start }: Pick<Block, "chunk" | "start">,
  column: ColumnName,
): Uint16Array | Uint32Array {
  return chunk.ids[column].values.subarray(start, start + blockRows);
}

/** Returns the ids of the selected rows, always in 32 bits, so that a loop over them sees one kind of array. */
export function selectedIds(block: Block, column: ColumnName): Uint32Array {
  const { start, rows, count, dense } = block;
  const { values } = block.chunk.ids[column];
  if (values instanceof Uint32Array) {
    if (dense) return values.subarray(start, start + count);
    gatherWords(values, start, rows, count, scratchIds);
  } else if (dense) widen(values, start, count, scratchIds);
  else gatherHalves(values, start, rows, count, scratchIds);
  return scratchIds;
}

/** Narrows a block to those of its rows whose id in the column has a 1 in `mask`. */
export function keepIds(block: Block, column: ColumnName, mask: Uint8Array): Block {
  const ids = selectedIds(block, column);
  const { rows, count } = block;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    keptRows[kept] = rows[at]!;
    kept = (kept + mask[ids[at]!]!) | 0;
  }
  return { ...block, rows: keptRows, count: kept, dense: false };
}

/** Narrows a block to its page views of paths that have a 1 in `paths`. */
export function keepPageViews(block: Block, paths: Uint8Array): Block {
  const [ids, flags] = [selectedIds(block, "path"), selectedFlags(block)];
  const { rows, count } = block;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    keptRows[kept] = rows[at]!;
    kept = (kept + ((flags[at]! & rowFlag.bare) === 0 ? paths[ids[at]!]! : 0)) | 0;
  }
  return { ...block, rows: keptRows, count: kept, dense: false };
}

/** Narrows a block to those of its rows that have one of these flags. The sum below has a ninth bit if a row has one. */
export function keepFlagged(block: Block, wanted: number): Block {
  const { start, rows, count } = block;
  const { flags } = block.chunk;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]! | 0;
    keptRows[kept] = row;
    kept = (kept + (((flags[start + row]! & wanted) + 0xff) >>> 8)) | 0;
  }
  return { ...block, rows: keptRows, count: kept, dense: false };
}

/** Narrows a block to the rows of some visits. */
export function keepVisits(block: Block, wanted: VisitSet): Block {
  const kept = wanted.keep(selectedVisits(block), block.rows, block.count, keptRows);
  return { ...block, rows: keptRows, count: kept, dense: false };
}

/** Returns the flags of the selected rows. */
export function selectedFlags({ chunk: { flags }, start, rows, count, dense }: Block): Uint8Array {
  if (dense) return flags.subarray(start, start + count);
  gatherBytes(flags, start, rows, count, scratchFlags);
  return scratchFlags;
}

/** Returns the durations of the selected rows in milliseconds; 0 if not known. */
export function selectedDurations({ chunk: { duration }, start, rows, count, dense }: Block): Uint32Array {
  if (dense) return duration.subarray(start, start + count);
  gatherWords(duration, start, rows, count, scratchDurations);
  return scratchDurations;
}

/** Returns the numbers of the visits of the selected rows; 0 for none. */
export function selectedVisits({ chunk: { visit }, start, rows, count, dense }: Block): Uint32Array {
  if (dense) return visit.subarray(start, start + count);
  gatherWords(visit, start, rows, count, scratchVisits);
  return scratchVisits;
}

/** Returns the `visitFlag`s of the selected rows. */
export function selectedVisitFlags({ chunk: { visitFlags }, start, rows, count, dense }: Block): Uint8Array {
  if (dense) return visitFlags.subarray(start, start + count);
  gatherBytes(visitFlags, start, rows, count, scratchVisitFlags);
  return scratchVisitFlags;
}

// The loops below are: for each selected row, to[at] = from[start + rows[at]]. Each sees one kind of array.

function gatherBytes(
  from: Uint8Array,
  start: number,
  rows: Uint32Array,
  count: number,
  to: Uint8Array,
): void {
  for (let at = 0; at < count; at++) to[at] = from[start + (rows[at]! | 0)]!;
}

function gatherHalves(
  from: Uint16Array,
  start: number,
  rows: Uint32Array,
  count: number,
  to: Uint32Array,
): void {
  for (let at = 0; at < count; at++) to[at] = from[start + (rows[at]! | 0)]!;
}

function gatherWords(
  from: Uint32Array,
  start: number,
  rows: Uint32Array,
  count: number,
  to: Uint32Array,
): void {
  for (let at = 0; at < count; at++) to[at] = from[start + (rows[at]! | 0)]!;
}

function widen(from: Uint16Array, start: number, count: number, to: Uint32Array): void {
  for (let at = 0; at < count; at++) to[at] = from[start + at]!;
}
