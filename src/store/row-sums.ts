/**
 * What rows of a chunk add up to by id of one column: most of the work of a rollup, on few places whatever the greatest
 * id is. Scratch, kept between rollups, and zeros where nothing is being added.
 */
import { chunkRowsMax, type Chunk } from "./chunk.ts";
import { classTables, pageViewClasses, type VisitorFlag } from "./row-class.ts";
import type { ColumnName } from "../core/dimension.ts";

/** Classes take a power of two of cells while rows are added. */
export const cellsPerId = 8;

/** By id: its place, counted from 1; 0 for none. */
let places = new Uint32Array(0);
/** By row. */
const rowIds = new Uint32Array(chunkRowsMax);

/** By place. */
export const sums = {
  ids: new Uint32Array(chunkRowsMax + 1),
  counts: new Uint32Array((chunkRowsMax + 1) * cellsPerId),
  totalMs: new Float64Array(chunkRowsMax + 1),
};

/** For the rows of a chunk by a column of which all ids are less than `ids`. */
export function beginSums({ ids: columns, rows }: Chunk, column: ColumnName, ids: number): void {
  places = zerosFor(ids, places);
  rowIds.set(columns[column].values.subarray(0, rows));
}

/** Adds the rows from `first` up to `end` to what is empty; returns how many places they have. */
export function addRows(
  { flags, duration }: Chunk,
  visitor: VisitorFlag,
  first: number,
  end: number,
): number {
  return addTo(sums, places, flags, duration, classTables[visitor], first, end);
}

function addTo(
  { ids, counts, totalMs }: typeof sums,
  placeOf: Uint32Array,
  flags: Uint8Array,
  duration: Uint32Array,
  classOf: Uint8Array,
  first: number,
  end: number,
): number {
  let size = 0;
  for (let row = first; row < end; row++) {
    const id = rowIds[row] as number;
    let place = placeOf[id] as number;
    if (place === 0) {
      placeOf[id] = place = ++size;
      ids[place] = id;
    }
    const cell = place * cellsPerId + (classOf[flags[row] as number] as number);
    counts[cell] = (counts[cell] as number) + 1;
    totalMs[place] = (totalMs[place] as number) + (duration[row] as number);
  }
  return size;
}

/** Empties the first `size` places. */
export function clearSums(size: number): void {
  const { ids, counts, totalMs } = sums;
  for (let place = 1; place <= size; place++) places[ids[place] as number] = 0;
  counts.fill(0, 0, (size + 1) * cellsPerId);
  totalMs.fill(0, 0, size + 1);
}

/** The zeros, or more of them. */
export function zerosFor(size: number, zeros: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return zeros.length >= size ? zeros : new Uint32Array(2 ** Math.ceil(Math.log2(size)));
}

/** Whether any row is counted from the cell `from` on; `cellsPerId` cells. */
export function hasPageView(counts: Uint32Array, from: number): boolean {
  for (let kind = 0; kind < pageViewClasses; kind++) if (counts[from + kind] !== 0) return true;
  return false;
}
