/** The rows of a chunk that all filters of a question let through, as they are cached for the next: two bytes each. */
import { firstAtLeast } from "../lib/search.ts";
import { roomFor } from "../lib/scratch.ts";
import { blockRows, type Block } from "./block.ts";

export interface Matches {
  /** Rising within a block of `blockRows` rows, and counted from its start. */
  readonly rows: Uint16Array;
  /** By block: where its rows end. */
  readonly ends: Uint32Array;
}

let scratch = new Uint16Array(0);

/** `blocks` are those of a whole chunk of so many rows. */
export function matchesOf(blocks: Iterable<Block>, chunkRows: number): Matches {
  const ends = new Uint32Array(Math.ceil(chunkRows / blockRows));
  if (scratch.length < chunkRows) scratch = new Uint16Array(roomFor(chunkRows));
  let found = 0;
  for (const { start, rows, count } of blocks) {
    // `set` between arrays of two kinds takes longer.
    for (let at = 0; at < count; at++) scratch[found + at] = rows[at]!;
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
  const count = end - first;
  for (let at = 0; at < count; at++) list[at] = own[first + at]!;
  return count;
}
