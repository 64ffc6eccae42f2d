/**
 * Rollups: what the rows of a chunk add up to by value of one dimension, so that a question without filters adds
 * one entry for many rows. An entry holds the cells that counting its rows would have filled, so both ways have
 * the same answers. A rollup says nothing of rows that change later: it is of one version of its chunk.
 */
import { dayMs } from "../core/hit.ts";
import { dimensions } from "../core/dimension.ts";
import { chunkRowsMax, firstFrom, rowFlag, type Chunk } from "./chunk.ts";
import { classTables, pageViewClasses, rowClass, type VisitorFlag } from "./row-class.ts";
import { columnMembers, type Site } from "./site.ts";

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

// Scratch, kept between rollups. `places` has an entry's place by value, counted from 1, and is 0 when unused.
let places = new Uint32Array(0);
const values = new Uint32Array(chunkRowsMax);
const counts = new Uint32Array((entriesMax + 1) * pageViewClasses);
const totalMs = new Float64Array(entriesMax + 1);
const ids = new Uint32Array(entriesMax + 1);

/**
 * The rows of a chunk by value of `dimension` (its index), in stretches that end before the rows `rowEnds`.
 * undefined where it would not be small enough against the rows.
 */
export function rollUp(
  site: Site,
  chunk: Chunk,
  dimension: number,
  visitor: VisitorFlag,
  rowEnds: Uint32Array,
): Rollup | undefined {
  const size = loadValues(site, chunk, dimension);
  if (places.length < size) places = new Uint32Array(2 ** Math.ceil(Math.log2(size)));
  const max = Math.floor(chunk.rows / rowsPerEntryMin);
  const ends = new Uint32Array(rowEnds.length);
  const unique = new Uint32Array(rowEnds.length);
  let [row, entries] = [0, 0];
  for (let stretch = 0; stretch < rowEnds.length && entries <= max; stretch++) {
    const end = rowEnds[stretch] as number;
    unique[stretch] = countUnique(chunk.flags, row, end);
    const from = entries;
    entries = addRows(chunk, classTables[visitor], row, end, from, max);
    for (let entry = from; entry < entries; entry++) places[ids[entry] as number] = 0;
    ends[stretch] = entries;
    row = end;
  }
  if (entries > max) return undefined;
  return {
    ends,
    unique,
    ids: ids.slice(0, entries),
    counts: counts.slice(0, entries * pageViewClasses),
    totalMs: totalMs.slice(0, entries),
  };
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

/** Puts the value of each row into `values`; returns how many there can be. */
function loadValues(site: Site, { ids, rows }: Chunk, dimension: number): number {
  const { column } = dimensions[dimension] as (typeof dimensions)[number];
  values.set(ids[column].values.subarray(0, rows));
  const size = (site.dictionaries[dimension] as { size: number }).size;
  if (column === "path") return size;
  const member = site.tuples[column].members[columnMembers[column].indexOf(dimension)] as Uint32Array;
  for (let row = 0; row < rows; row++) values[row] = member[values[row] as number] as number;
  return size;
}

/** Adds the rows to entries from `from` on, and stops after `max` of them. Returns where the entries end. */
function addRows(
  { flags, duration }: Chunk,
  classOf: Uint8Array,
  row: number,
  end: number,
  from: number,
  max: number,
): number {
  let entries = from;
  for (; row < end && entries <= max; row++) {
    const kind = classOf[flags[row] as number] as number;
    if (kind === rowClass.noPageView) continue;
    const id = values[row] as number;
    let entry = (places[id] as number) - 1;
    if (entry < 0) {
      entry = entries++;
      places[id] = entries;
      ids[entry] = id;
      totalMs[entry] = 0;
      counts.fill(0, entry * pageViewClasses, entries * pageViewClasses);
    }
    const cell = entry * pageViewClasses + kind;
    counts[cell] = (counts[cell] as number) + 1;
    totalMs[entry] = (totalMs[entry] as number) + (duration[row] as number);
  }
  return entries;
}

function countUnique(flags: Uint8Array, row: number, end: number): number {
  let unique = 0;
  for (; row < end; row++) unique += (flags[row] as number) & rowFlag.unique;
  return unique;
}
