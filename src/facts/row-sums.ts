/**
 * Sums of a chunk's rows by id of one column, which is most of the work of a rollup. Sums are stored by place; an id
 * gets the next place when it is first seen, so that clearing them costs no more than adding them did.
 */
import type { ColumnName } from "../core/questions/dimension.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import { outsideOf, type Outside } from "./outside-visits.ts";
import { addVisitParts, isPageView, visitParts } from "../store/columns/row-flag.ts";
import { classTables, pageViewClasses, type VisitorFlag } from "../store/columns/row-class.ts";

/** The cells of an id: the number of classes, rounded up to a power of two. */
export const cellsPerId = 8;

export class RowSums {
  /** The number of ids that have a place; places are counted from 1. */
  size = 0;
  /** By place. */
  readonly ids: Uint32Array;
  /** By place, then by class. */
  readonly counts: Uint32Array;
  /** By place. */
  readonly totalMs: Float64Array;
  /** By place, then by `visitPart`. */
  readonly visits: Uint32Array;
  /** By place: the page views without a visit. */
  readonly outside: Outside;
  /** By row. */
  readonly rowIds: Uint32Array;
  /** By id: its place; 0 for none. */
  private readonly places: Uint32Array;
  private readonly classOf: Uint8Array;

  constructor(
    private readonly chunk: Chunk,
    column: ColumnName,
    visitor: VisitorFlag,
  ) {
    const { rows, ids } = chunk;
    this.rowIds = Uint32Array.from(ids[column].values.subarray(0, rows));
    this.places = new Uint32Array(this.rowIds.reduce((most, id) => Math.max(most, id), 0) + 1);
    const places = Math.min(rows, this.places.length) + 1;
    this.ids = new Uint32Array(places);
    this.counts = new Uint32Array(places * cellsPerId);
    this.totalMs = new Float64Array(places);
    this.visits = new Uint32Array(places * visitParts);
    this.outside = outsideOf(places);
    this.classOf = classTables[visitor];
  }

  addRows(first: number, end: number): void {
    // The loop below is: for each row, counts[place of its id][class of its flags] += 1, totalMs += duration.
    const { rowIds, places, ids, counts, totalMs, visits, outside, classOf } = this;
    const { flags, duration, visit, visitFlags } = this.chunk;
    let size = this.size;
    for (let row = first; row < end; row++) {
      const id = rowIds[row]!;
      let place = places[id]!;
      if (place === 0) {
        places[id] = place = ++size;
        ids[place] = id;
      }
      counts[place * cellsPerId + classOf[flags[row]!]!]!++;
      totalMs[place]! += duration[row]!;
      const ofVisit = visitFlags[row]!;
      if (ofVisit !== 0) addVisitParts(visits, place * visitParts, ofVisit);
      if (visit[row] !== 0) continue;
      outside.pageviews[place]! += isPageView(flags[row]!);
      outside.totalMs[place]! += duration[row]!;
    }
    this.size = size;
  }

  clear(): void {
    const { places, ids, counts, totalMs, visits, outside, size } = this;
    for (let place = 1; place <= size; place++) places[ids[place]!] = 0;
    counts.fill(0, 0, (size + 1) * cellsPerId);
    totalMs.fill(0, 0, size + 1);
    visits.fill(0, 0, (size + 1) * visitParts);
    outside.pageviews.fill(0, 0, size + 1);
    outside.totalMs.fill(0, 0, size + 1);
    this.size = 0;
  }
}

/** Returns whether any page view is counted in the `cellsPerId` cells from index `from` on. */
export function hasPageView(counts: Uint32Array, from: number): boolean {
  for (let kind = 0; kind < pageViewClasses; kind++) if (counts[from + kind] !== 0) return true;
  return false;
}
