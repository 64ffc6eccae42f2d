/**
 * What rows of a chunk add up to by id of one column: most of the work of a rollup, on few places whatever the greatest
 * id is. Kept between rollups, and zeros where nothing is being added.
 */
import { assert } from "../lib/assert.ts";
import { roomFor, scratch, type Holder } from "../lib/scratch.ts";
import { chunkRowsMax, type Chunk } from "./chunk.ts";
import { classTables, pageViewClasses, type VisitorFlag } from "./row-class.ts";
import type { ColumnName } from "../core/dimension.ts";

/** Classes take a power of two of cells while rows are added. */
export const cellsPerId = 8;

/** Of the largest chunk. */
class Arrays {
  /** By row. */
  readonly rowIds = new Uint32Array(chunkRowsMax);
  // By place.
  readonly ids = new Uint32Array(chunkRowsMax + 1);
  readonly counts = new Uint32Array((chunkRowsMax + 1) * cellsPerId);
  readonly totalMs = new Float64Array(chunkRowsMax + 1);

  get bytes(): number {
    const { rowIds, ids, counts, totalMs } = this;
    return rowIds.byteLength + ids.byteLength + counts.byteLength + totalMs.byteLength;
  }
}

class RowSums implements Holder {
  /** By id: its place, counted from 1; 0 for none. */
  private places = new Uint32Array(0);
  private arrays: Arrays | undefined;

  /** For the rows of a chunk by a column of which all ids are less than `ids`. */
  begin({ ids: columns, rows }: Chunk, column: ColumnName, ids: number): void {
    this.arrays ??= new Arrays();
    this.places = zerosFor(ids, this.places);
    scratch.hold(this, this.places.byteLength + this.arrays.bytes);
    this.arrays.rowIds.set(columns[column].values.subarray(0, rows));
  }

  /** Adds the rows from `first` up to `end` to what is empty; returns how many places they have. */
  addRows({ flags, duration }: Chunk, visitor: VisitorFlag, first: number, end: number): number {
    return addTo(this.filled, this.places, flags, duration, classTables[visitor], first, end);
  }

  /** Empties the first `size` places. */
  clear(size: number): void {
    const { places } = this;
    const { ids, counts, totalMs } = this.filled;
    for (let place = 1; place <= size; place++) places[ids[place] as number] = 0;
    counts.fill(0, 0, (size + 1) * cellsPerId);
    totalMs.fill(0, 0, size + 1);
  }

  /** From `begin` on, until the rollup is made. */
  get filled(): Arrays {
    assert(this.arrays !== undefined, "rows are added after the beginning");
    return this.arrays;
  }

  letGo(): void {
    this.places = new Uint32Array(0);
    this.arrays = undefined;
  }
}

/** This thread's. */
export const sums = new RowSums();

function addTo(
  { rowIds, ids, counts, totalMs }: Arrays,
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

/** The zeros, or more of them. */
export function zerosFor(size: number, zeros: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  return zeros.length >= size ? zeros : new Uint32Array(roomFor(size));
}

/** Whether any row is counted from the cell `from` on; `cellsPerId` cells. */
export function hasPageView(counts: Uint32Array, from: number): boolean {
  for (let kind = 0; kind < pageViewClasses; kind++) if (counts[from + kind] !== 0) return true;
  return false;
}
