/** The rows of a chunk that pass all filters of a question, as they are cached for later questions: two bytes each. */
import { firstAtLeast } from "../../lib/search.ts";
import { roomFor } from "../../lib/memory/scratch.ts";
import { blockRows, type Block } from "./block.ts";

export interface Matches {
  /** Row numbers counted from the start of their block of `blockRows` rows, rising within each block. */
  readonly rows: Uint16Array;
  /** By block: the end of its rows in `rows`. */
  readonly ends: Uint32Array;
}

let found = new Uint16Array(0);

/** Collects the matches of one chunk. All lists share one buffer, so only one can be in use at a time. */
export class MatchList {
  private readonly ends: Uint32Array;
  private count = 0;

  constructor(chunkRows: number) {
    this.ends = new Uint32Array(Math.ceil(chunkRows / blockRows));
    if (found.length < chunkRows) found = new Uint16Array(roomFor(chunkRows));
  }

  /** Adds the rows of a block, which must come after the blocks that were added before. */
  add({ start, rows, count }: Pick<Block, "start" | "rows" | "count">): void {
    copyRows(rows, count, found, this.count);
    this.count += count;
    this.ends.fill(this.count, start / blockRows);
  }

  get matches(): Matches {
    return { rows: found.slice(0, this.count), ends: this.ends };
  }
}

/** Copies in a loop, because `set` between arrays of two kinds takes longer. */
function copyRows(from: Uint32Array, count: number, to: Uint16Array, first: number): void {
  for (let at = 0; at < count; at++) to[first + at] = from[at]!;
}

export function matchesBytes({ rows, ends }: Matches): number {
  return rows.byteLength + ends.byteLength;
}

/** Returns how many matches come before `row` of the chunk. */
export function matchesBefore({ rows, ends }: Matches, row: number): number {
  const block = Math.floor(row / blockRows);
  if (block >= ends.length) return rows.length;
  const first = block === 0 ? 0 : ends[block - 1]!;
  return first + firstAtLeast(rows.subarray(first, ends[block]), row % blockRows);
}

/**
 * Writes into `list` the matches of the block at `start` that are rows from `from` up to `to` of the chunk; returns how
 * many.
 */
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
