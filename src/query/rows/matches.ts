/** The rows of a chunk that all filters of a question let through, as they are cached for the next: two bytes each. */
import { firstAtLeast } from "../../lib/search.ts";
import { roomFor } from "../../lib/scratch.ts";
import { blockRows, type Block } from "./block.ts";

export interface Matches {
  /** Rising within a block of `blockRows` rows, and counted from its start. */
  readonly rows: Uint16Array;
  /** By block: where its rows end. */
  readonly ends: Uint32Array;
}

let scratch = new Uint16Array(0);

/** The matches of one chunk while they are found; there is one at a time. */
export class MatchList {
  private readonly ends: Uint32Array;
  private found = 0;

  constructor(chunkRows: number) {
    this.ends = new Uint32Array(Math.ceil(chunkRows / blockRows));
    if (scratch.length < chunkRows) scratch = new Uint16Array(roomFor(chunkRows));
  }

  /** Adds the rows of a block, which comes after those that were added before. */
  add({ start, rows, count }: Pick<Block, "start" | "rows" | "count">): void {
    copyRows(rows, count, scratch, this.found);
    this.found += count;
    this.ends.fill(this.found, start / blockRows);
  }

  get matches(): Matches {
    return { rows: scratch.slice(0, this.found), ends: this.ends };
  }
}

/** `set` between arrays of two kinds takes longer. */
function copyRows(from: Uint32Array, count: number, to: Uint16Array, first: number): void {
  for (let at = 0; at < count; at++) to[first + at] = from[at]!;
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
