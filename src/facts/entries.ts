/** The entries of a rollup, and the sums that build them part by part. */
import { grown } from "../store/columns/column.ts";
import { rowFlag, visitParts } from "../store/columns/row-flag.ts";
import { pageViewClasses } from "../store/columns/row-class.ts";
import { outsideOf, type Outside } from "./outside-visits.ts";
import { cellsPerId, hasPageView, type RowSums } from "./row-sums.ts";
import type { VisitRows } from "./visits.ts";

/** A rollup has one group of entries for the whole chunk, or one for each of its UTC days. */
export type Unit = "whole" | "day";

/**
 * The entries of each part of the rows, one part after the other. The whole chunk is one part, or each of its days is.
 */
export interface RollupSums {
  /** By part: the end of its entries. */
  readonly ends: Uint32Array;
  /** By part: the page views with the hit's `p`, whichever flag marks a visitor in the counts. */
  readonly unique: Uint32Array;
  /** By part: the distinct visits with rows in it. */
  readonly visitsOfPart: Uint32Array;
  /** By entry: the value's id in the dictionary of the dimension. */
  readonly ids: Uint32Array;
  /** By entry: the number of rows in each of the `pageViewClasses` classes. */
  readonly counts: Uint32Array;
  /** By entry: the milliseconds on its page views. */
  readonly totalMs: Float64Array;
  /** By entry: the number of visits in each `visitPart`. */
  readonly visits: Uint32Array;
  /** By entry: the distinct visits with rows of it. */
  readonly distinctVisits: Uint32Array;
}

/** A visit is timed by a page view whose time is known. */
export interface VisitTimes {
  /** By part: the distinct visits that are timed by a row in it. */
  readonly timedVisitsOfPart: Uint32Array;
  /** By entry: the distinct visits that are timed by a row of it. */
  readonly timedVisits: Uint32Array;
  /** By entry: its page views without a visit; undefined if there are none. */
  readonly outside: Outside | undefined;
}

export interface Rollup extends RollupSums, VisitTimes {}

/** The columns by which distinct visits are counted. */
export interface VisitColumns {
  /** By row. */
  readonly visitOf: Uint32Array;
  /** By row. */
  readonly idOf: Uint32Array;
  /** By row. */
  readonly flags: Uint8Array;
  /** By id: its value; without it, an id is a value. */
  readonly valueOf: Uint32Array | undefined;
}

export class Entries {
  private size = 0;
  /** The first entry of the current part. */
  private start = 0;
  private readonly partEnds: number[] = [];
  /** By value: its entry in the current part, counted from 1; 0 for none. */
  private readonly places: Uint32Array;
  /** By value: the run of rows of one visit in which it was last counted; runs are counted from 1. */
  private readonly countedIn: Uint32Array;
  /** The same of the rows whose time is known. */
  private readonly timedIn: Uint32Array;
  private runs = 0;
  private readonly visitsOfPart: number[] = [];
  private readonly timedVisitsOfPart: number[] = [];
  private ids = new Uint32Array(0);
  private counts = new Uint32Array(0);
  private totalMs = new Float64Array(0);
  private visits = new Uint32Array(0);
  private distinctVisits = new Uint32Array(0);
  private timedVisits = new Uint32Array(0);
  private outside: Outside | undefined;

  /**
   * Takes values with ids less than `values`. Nothing more is added once there are more than `max` entries. `hasOutside`:
   * whether there are page views without a visit.
   */
  constructor(
    values: number,
    private readonly max: number,
    hasOutside: boolean,
  ) {
    this.places = new Uint32Array(values);
    this.countedIn = new Uint32Array(values);
    this.timedIn = new Uint32Array(values);
    if (hasOutside) this.outside = outsideOf(0);
  }

  get isOver(): boolean {
    return this.size > this.max;
  }

  /**
   * Adds sums by id to the current part. `valueOf`: the value for each id of the column; without it, an id is a value.
   */
  addSums(sums: RowSums, valueOf: Uint32Array | undefined): void {
    const { size, ids, counts: added, totalMs: addedMs, visits: addedVisits } = sums;
    this.makeRoom(size);
    const { counts, totalMs, visits, outside, max } = this;
    for (let place = 1; place <= size && this.size <= max; place++) {
      const from = place * cellsPerId;
      if (!hasPageView(added, from)) continue;
      const id = ids[place]!;
      const entry = this.entryOf(valueOf === undefined ? id : valueOf[id]!);
      const to = entry * pageViewClasses;
      for (let kind = 0; kind < pageViewClasses; kind++) counts[to + kind]! += added[from + kind]!;
      totalMs[entry]! += addedMs[place]!;
      for (let part = 0; part < visitParts; part++)
        visits[entry * visitParts + part]! += addedVisits[place * visitParts + part]!;
      if (outside === undefined) continue;
      outside.pageviews[entry]! += sums.outside.pageviews[place]!;
      outside.totalMs[entry]! += sums.outside.totalMs[place]!;
    }
  }

  /**
   * Counts the distinct visits of the current part, whose sums were added. `visitOf`, `idOf`: the visit and the id of
   * each row of the chunk.
   */
  private addVisits({ rows }: VisitRows, { visitOf, idOf, flags, valueOf }: VisitColumns): void {
    const { places, countedIn, timedIn, max } = this;
    let { runs } = this;
    let visit = 0;
    for (let at = 0; at < rows.length && this.size <= max; at++) {
      const row = rows[at]!;
      if (visitOf[row] !== visit) {
        visit = visitOf[row]!;
        runs++;
      }
      const value = valueOf === undefined ? idOf[row]! : valueOf[idOf[row]!]!;
      const isTimed = (flags[row]! & rowFlag.timed) !== 0 && timedIn[value] !== runs;
      if (countedIn[value] === runs && !isTimed) continue;
      // A value that only events have is in no entry yet.
      if (places[value] === 0) this.makeRoom(1);
      const entry = this.entryOf(value);
      if (countedIn[value] !== runs) this.distinctVisits[entry]!++;
      countedIn[value] = runs;
      if (!isTimed) continue;
      timedIn[value] = runs;
      this.timedVisits[entry]!++;
    }
    this.runs = runs;
  }

  /** Ends the current part of the rows, whose sums were added, and begins the next. */
  endPart(visits: VisitRows, columns: VisitColumns): void {
    this.addVisits(visits, columns);
    this.visitsOfPart.push(visits.visits);
    this.timedVisitsOfPart.push(visits.timed);
    const { places, ids, start, size } = this;
    for (let entry = start; entry < size; entry++) places[ids[entry]!] = 0;
    this.start = size;
    this.partEnds.push(size);
  }

  /** Returns the rollup. `unique`: one number for each part. Call it after the last part has ended, unless `isOver`. */
  rollup(unique: Uint32Array): Rollup {
    const { ids, counts, totalMs, visits, distinctVisits, timedVisits, outside, size } = this;
    return {
      ends: Uint32Array.from(this.partEnds),
      unique,
      visitsOfPart: Uint32Array.from(this.visitsOfPart),
      timedVisitsOfPart: Uint32Array.from(this.timedVisitsOfPart),
      ids: ids.subarray(0, size),
      counts: counts.subarray(0, size * pageViewClasses),
      totalMs: totalMs.subarray(0, size),
      visits: visits.subarray(0, size * visitParts),
      distinctVisits: distinctVisits.subarray(0, size),
      timedVisits: timedVisits.subarray(0, size),
      outside: outside && {
        pageviews: outside.pageviews.subarray(0, size),
        totalMs: outside.totalMs.subarray(0, size),
      },
    };
  }

  private entryOf(value: number): number {
    const { places } = this;
    const place = places[value]!;
    if (place > 0) return place - 1;
    const entry = this.size++;
    places[value] = this.size;
    this.ids[entry] = value;
    return entry;
  }

  private makeRoom(more: number): void {
    const needed = Math.min(this.size + more, this.max + 1);
    if (needed <= this.ids.length) return;
    const length = Math.min(Math.max(needed, 2 * this.ids.length), this.max + 1);
    this.ids = grown(this.ids, new Uint32Array(length));
    this.counts = grown(this.counts, new Uint32Array(length * pageViewClasses));
    this.totalMs = grown(this.totalMs, new Float64Array(length));
    this.visits = grown(this.visits, new Uint32Array(length * visitParts));
    this.distinctVisits = grown(this.distinctVisits, new Uint32Array(length));
    this.timedVisits = grown(this.timedVisits, new Uint32Array(length));
    const { outside } = this;
    if (outside === undefined) return;
    const { pageviews, totalMs } = outsideOf(length);
    this.outside = {
      pageviews: grown(outside.pageviews, pageviews),
      totalMs: grown(outside.totalMs, totalMs),
    };
  }
}

/** Returns the rollup of a dimension of which all rows have one value. `rollup`: that of any other dimension but the path. */
export function ofOneValue(rollup: Rollup, id: number): Rollup {
  const { ends, visitsOfPart, timedVisitsOfPart, outside } = rollup;
  const parts = Array.from(ends, (end, part) => ({
    from: ends[part - 1] ?? 0,
    end,
    visits: visitsOfPart[part]!,
    timed: timedVisitsOfPart[part]!,
  }));
  const filled = parts.filter(({ from, end }) => from < end);
  const summed = <T extends Uint32Array | Float64Array>(column: T, to: T, width: number): T => {
    filled.forEach(({ from, end }, entry) => {
      for (let at = from * width; at < end * width; at++) to[entry * width + (at % width)]! += column[at]!;
    });
    return to;
  };
  let size = 0;
  return {
    ...rollup,
    ends: Uint32Array.from(parts, ({ from, end }) => (size += from < end ? 1 : 0)),
    ids: new Uint32Array(filled.length).fill(id),
    counts: summed(rollup.counts, new Uint32Array(filled.length * pageViewClasses), pageViewClasses),
    totalMs: summed(rollup.totalMs, new Float64Array(filled.length), 1),
    visits: summed(rollup.visits, new Uint32Array(filled.length * visitParts), visitParts),
    distinctVisits: Uint32Array.from(filled, ({ visits }) => visits),
    timedVisits: Uint32Array.from(filled, ({ timed }) => timed),
    outside: outside && {
      pageviews: summed(outside.pageviews, new Uint32Array(filled.length), 1),
      totalMs: summed(outside.totalMs, new Float64Array(filled.length), 1),
    },
  };
}
