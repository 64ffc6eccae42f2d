/**
 * Rollups: what the rows of a chunk add up to by value of one dimension, so that a question without filters adds
 * one entry for many rows. An entry holds the cells that counting its rows would have filled, so both ways have
 * the same answers. A rollup says nothing of rows that change later: it is of one version of its chunk.
 */
import { dayMs } from "../core/hit.ts";
import { dimensions, type Dimension } from "../core/dimension.ts";
import { chunkRowsMax, firstFrom, rowFlag, type Chunk } from "./chunk.ts";
import { classTables, pageViewClasses, type VisitorFlag } from "./row-class.ts";
import type { ReadDictionary, ReadSite } from "./read-site.ts";
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
const entriesMax = chunkRowsMax / rowsPerEntryMin;

/** Classes take a power of two of cells while rows are added. */
const cellsPerId = 8;

// Scratch, kept between rollups, and zeros where nothing is being added.

/** What rows add up to by id of their column: most of the work, on few places whatever the greatest id is. */
const sums = {
  /** By id: its place, counted from 1; 0 for none. */
  places: new Uint32Array(0),
  /** By row. */
  rowIds: new Uint32Array(chunkRowsMax),
  // By place.
  ids: new Uint32Array(chunkRowsMax + 1),
  counts: new Uint32Array((chunkRowsMax + 1) * cellsPerId),
  totalMs: new Float64Array(chunkRowsMax + 1),
};
type Sums = typeof sums;

const entries = {
  /** By value: its entry, counted from 1; 0 for none. */
  places: new Uint32Array(0),
  ids: new Uint32Array(entriesMax + 1),
  counts: new Uint32Array((entriesMax + 1) * pageViewClasses),
  totalMs: new Float64Array(entriesMax + 1),
};

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
  const { column } = dimensions[dimension] as Dimension;
  const values = site.dictionaries[dimension] as ReadDictionary;
  const table = column === "path" ? undefined : site.tuples[column];
  const valueOf = table?.members[columnMembers[column].indexOf(dimension)];
  sums.places = roomFor((table ?? values).size, sums.places);
  entries.places = roomFor(values.size, entries.places);
  sums.rowIds.set(chunk.ids[column].values.subarray(0, chunk.rows));
  const max = Math.floor(chunk.rows / rowsPerEntryMin);
  const ends = new Uint32Array(rowEnds.length);
  const unique = new Uint32Array(rowEnds.length);
  let [row, count] = [0, 0];
  for (let stretch = 0; stretch < rowEnds.length && count <= max; stretch++) {
    const end = rowEnds[stretch] as number;
    unique[stretch] = countUnique(chunk.flags.subarray(row, end));
    const ids = addRows(sums, chunk, classTables[visitor], row, end);
    count = ends[stretch] = addSums(ids, valueOf, count, max);
    clear(ids);
    row = end;
  }
  const rollup = count > max ? undefined : { ends, unique, ...copied(count) };
  entries.counts.fill(0, 0, count * pageViewClasses);
  entries.totalMs.fill(0, 0, count);
  return rollup;
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

/** Adds rows to `sums`, which is empty; returns how many ids they have. */
function addRows(
  { places, rowIds, ids, counts, totalMs }: Sums,
  { flags, duration }: Chunk,
  classOf: Uint8Array,
  first: number,
  end: number,
): number {
  let size = 0;
  for (let row = first; row < end; row++) {
    const id = rowIds[row] as number;
    let place = places[id] as number;
    if (place === 0) {
      places[id] = place = ++size;
      ids[place] = id;
    }
    const cell = place * cellsPerId + (classOf[flags[row] as number] as number);
    counts[cell] = (counts[cell] as number) + 1;
    totalMs[place] = (totalMs[place] as number) + (duration[row] as number);
  }
  return size;
}

/**
 * Adds the first `size` places of `sums` to entries from `first` on, by the value of each id, and stops after `max` of
 * them. Returns where the entries end.
 */
function addSums(size: number, valueOf: Uint32Array | undefined, first: number, max: number): number {
  const { places, ids, counts, totalMs } = entries;
  let end = first;
  for (let place = 1; place <= size && end <= max; place++) {
    const from = place * cellsPerId;
    if (!hasPageView(sums.counts, from)) continue;
    const id = sums.ids[place] as number;
    const value = valueOf === undefined ? id : (valueOf[id] as number);
    let entry = (places[value] as number) - 1;
    if (entry < 0) {
      entry = end++;
      places[value] = end;
      ids[entry] = value;
    }
    const to = entry * pageViewClasses;
    for (let kind = 0; kind < pageViewClasses; kind++)
      counts[to + kind] = (counts[to + kind] as number) + (sums.counts[from + kind] as number);
    totalMs[entry] = (totalMs[entry] as number) + (sums.totalMs[place] as number);
  }
  for (let entry = first; entry < end; entry++) places[ids[entry] as number] = 0;
  return end;
}

function hasPageView(counts: Uint32Array, from: number): boolean {
  for (let kind = 0; kind < pageViewClasses; kind++) if (counts[from + kind] !== 0) return true;
  return false;
}

function clear(size: number): void {
  const { places, ids, counts, totalMs } = sums;
  for (let place = 1; place <= size; place++) places[ids[place] as number] = 0;
  counts.fill(0, 0, (size + 1) * cellsPerId);
  totalMs.fill(0, 0, size + 1);
}

function copied(count: number): Pick<Rollup, "ids" | "counts" | "totalMs"> {
  const { ids, counts, totalMs } = entries;
  return {
    ids: ids.slice(0, count),
    counts: counts.slice(0, count * pageViewClasses),
    totalMs: totalMs.slice(0, count),
  };
}

/** The zeros, or more of them. */
function roomFor(size: number, zeros: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return zeros.length >= size ? zeros : new Uint32Array(2 ** Math.ceil(Math.log2(size)));
}

function countUnique(flags: Uint8Array): number {
  let unique = 0;
  for (let row = 0; row < flags.length; row++) unique += (flags[row] as number) & rowFlag.unique;
  return unique;
}
