/** The rows of a chunk that all filters of a question let through, as they are kept for the next: two bytes each. */
import { chunkRowsMax } from "../store/chunk.ts";
import { blockRows, type Block } from "./block.ts";

export interface Matches {
  /** Rising within a block of `blockRows` rows, and counted from its start. */
  readonly rows: Uint16Array;
  /** By block: where its rows end. */
  readonly ends: Uint32Array;
}

const scratch = new Uint16Array(chunkRowsMax);

/** `blocks`: what a chunk of so many rows has, from row 0 on. */
export function matchesOf(blocks: Iterable<Block>, chunkRows: number): Matches {
  const ends = new Uint32Array(Math.ceil(chunkRows / blockRows));
  let found = 0;
  for (const { start, rows, count } of blocks) {
    // `set` between arrays of two kinds takes longer.
    for (let at = 0; at < count; at++) scratch[found + at] = rows[at] as number;
    found += count;
    ends.fill(found, start / blockRows);
  }
  return { rows: scratch.slice(0, found), ends };
}

export function matchesBytes({ rows, ends }: Matches): number {
  return rows.byteLength + ends.byteLength;
}

/** How many are rows before `row` of the chunk. */
export function matchesBefore({ rows, ends }: Matches, row: number): number {
  const block = Math.floor(row / blockRows);
  if (block >= ends.length) return rows.length;
  const first = block === 0 ? 0 : (ends[block - 1] as number);
  return first + firstAtLeast(rows.subarray(first, ends[block]), row % blockRows);
}

/** Lists those of the block at `start` that are rows from `from` up to `to` of the chunk; returns how many. */
export function listMatches(
  { rows, ends }: Matches,
  start: number,
  from: number,
  to: number,
  list: Uint32Array,
): number {
  const block = start / blockRows;
  const own = rows.subarray(block === 0 ? 0 : ends[block - 1], ends[block]);
  const first = from <= start ? 0 : firstAtLeast(own, from - start);
  const end = to >= start + blockRows ? own.length : firstAtLeast(own, to - start);
  for (let at = first; at < end; at++) list[at - first] = own[at] as number;
  return end - first;
}

/** Index of the first that is not less than `row`. */
function firstAtLeast(rows: Uint16Array, row: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as number) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
