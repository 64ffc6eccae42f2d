/**
 * Rollups: what the rows of a chunk add up to by value of one dimension, so that a question without filters adds
 * one entry for many rows. An entry holds the cells that counting its rows would have filled, so both ways have
 * the same answers. A rollup says nothing of rows that change later: it is of one version of its chunk.
 */
import { dayMs } from "../core/hit.ts";
import { dimensionIndex, dimensions, type Dimension } from "../core/dimension.ts";
import { scratch } from "../lib/scratch.ts";
import { rowFlag, type Chunk } from "./chunk.ts";
import { firstFrom } from "./first-from.ts";
import { Entries } from "./entries.ts";
import type { ReadDictionary, ReadSite } from "./read-site.ts";
import type { VisitorFlag } from "./row-class.ts";
import { sums } from "./row-sums.ts";
import { columnMembers } from "./site.ts";

/** Entries of one stretch of rows after the other: of the whole chunk, or of each of its days. */
export interface Rollup {
  /** By stretch: where its entries end. */
  readonly ends: Uint32Array;
  /** By stretch: page views with the hit's `p`, whoever else is a visitor. */
  readonly unique: Uint32Array;
  /** By entry: the value's id in the dictionary of the dimension. */
  readonly ids: Uint32Array;
  /** By entry: the rows in each of its `pageViewClasses` classes. */
  readonly counts: Uint32Array;
  /** By entry: milliseconds on its page views. */
  readonly totalMs: Float64Array;
}

/** An entry takes twice the bytes of a row, so a rollup that is kept is four times smaller than its rows. */
const rowsPerEntryMin = 8;
const entryBytes = 36;

/** Kept between the rollups of chunks. */
const entries = new Entries();

/** Who is a visitor by value of a dimension (its index) where nothing is filtered. */
export function visitorOf(dimension: number): VisitorFlag {
  return dimension === dimensionIndex.path ? rowFlag.first : rowFlag.unique;
}

/** So many entries the rollup of so many rows has at the most. */
export function entriesMax(rows: number): number {
  return Math.floor(rows / rowsPerEntryMin);
}

/**
 * The rows of a chunk by value of `dimension` (its index), in stretches that end before the rows `rowEnds`.
 * undefined where it would not be small enough against the rows.
 */
export function rollUp(
  site: ReadSite,
  chunk: Chunk,
  dimension: number,
  visitor: VisitorFlag,
  rowEnds: Uint32Array,
): Rollup | undefined {
  // Before anything of the chunk is mapped, for which what is not in use may be let go.
  scratch.hold(entries, entries.bytes);
  const valueOf = beginRows(site, chunk, dimension);
  entries.begin((site.dictionaries[dimension] as ReadDictionary).size, entriesMax(chunk.rows));
  const ends = new Uint32Array(rowEnds.length);
  let row = 0;
  for (let stretch = 0; stretch < rowEnds.length && !entries.isOver; stretch++) {
    const end = rowEnds[stretch] as number;
    addStretch(entries, chunk, visitor, valueOf, row, end);
    entries.endStretch();
    ends[stretch] = entries.size;
    row = end;
  }
  scratch.hold(entries, entries.bytes);
  if (entries.isOver) return undefined;
  const { ids, counts, totalMs } = entries.own;
  const unique = uniqueBy(chunk, rowEnds);
  return { ends, unique, ids: ids.slice(), counts: counts.slice(), totalMs: totalMs.slice() };
}

/** Adds all rows of a chunk to the stretch that `entries` are at. */
export function addChunk(
  entries: Entries,
  site: ReadSite,
  chunk: Chunk,
  dimension: number,
  visitor: VisitorFlag,
): void {
  addStretch(entries, chunk, visitor, beginRows(site, chunk, dimension), 0, chunk.rows);
}

/** Returns the value of each id of the dimension's column; undefined where an id is one. */
function beginRows(site: ReadSite, chunk: Chunk, dimension: number): Uint32Array | undefined {
  const { column } = dimensions[dimension] as Dimension;
  const table = column === "path" ? undefined : site.tuples[column];
  sums.begin(chunk, column, (table ?? (site.dictionaries[dimension] as ReadDictionary)).size);
  return table?.members[columnMembers[column].indexOf(dimension)];
}

function addStretch(
  entries: Entries,
  chunk: Chunk,
  visitor: VisitorFlag,
  valueOf: Uint32Array | undefined,
  first: number,
  end: number,
): void {
  const places = sums.addRows(chunk, visitor, first, end);
  entries.addSums(places, valueOf);
  sums.clear(places);
}

export function rollupBytes({ ends, unique, ids, counts, totalMs }: Rollup): number {
  return [ends, unique, ids, counts, totalMs].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** Before it is made. */
export function rollupBytesMax({ rows }: Chunk): number {
  return (rows / rowsPerEntryMin) * entryBytes;
}

/** Where the rows of each UTC day of a sorted chunk end, from the day of its first row on. */
export function dayEnds(chunk: Chunk): Uint32Array {
  const first = Math.floor(chunk.minMs / dayMs);
  const days = Math.floor(chunk.maxMs / dayMs) - first + 1;
  let row = 0;
  return Uint32Array.from({ length: days }, (_, day) => {
    row = firstFrom(chunk, (first + day + 1) * dayMs, row, chunk.rows);
    return row;
  });
}

/** Page views with the hit's `p` among the rows of each stretch. */
export function uniqueBy({ flags }: Chunk, rowEnds: Uint32Array): Uint32Array {
  return rowEnds.map((end, stretch) => countUnique(flags.subarray(rowEnds[stretch - 1] ?? 0, end)));
}

function countUnique(flags: Uint8Array): number {
  let unique = 0;
  for (let row = 0; row < flags.length; row++) unique += (flags[row] as number) & rowFlag.unique;
  return unique;
}
