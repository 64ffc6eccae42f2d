/**
 * Totals by quarter of an hour. Almost everywhere and always, local time is a whole number of quarters ahead of UTC, so
 * a calendar hour, day, week or month is a range of them.
 */
import { dayMs } from "../core/hit.ts";
import { firstAtLeast } from "../lib/search.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import { cellsPerId, hasPageView } from "./row-sums.ts";
import { hasOutside, outsideOf, type Outside } from "./outside-visits.ts";
import { addVisitParts, isPageView, rowFlag, visitPart, visitParts } from "../store/columns/row-flag.ts";
import { classTables, pageViewClasses, rowClass } from "../store/columns/row-class.ts";

export const quarterMs = 15 * 60_000;
const quartersPerMonth = (31 * dayMs) / quarterMs;

export interface Quarters {
  /** The quarters that have page views or rows of visits, rising: each is the number of quarters since the start of 1970. */
  readonly numbers: Int32Array;
  /**
   * By quarter, and once more after the last: the number of earlier rows in each of the `pageViewClasses` classes;
   * visitors are those with `p`.
   */
  readonly counts: Uint32Array;
  /** By quarter, as `counts`: the milliseconds on earlier page views. */
  readonly totalMs: Float64Array;
  /** By quarter, as `counts`: the number of earlier visits in each `quarterVisit`. */
  readonly visits: Uint32Array;
  /** By quarter, as `counts`: the earlier page views without a visit; undefined if there are none. */
  readonly outside: Outside | undefined;
}

/**
 * The counts of visits: those of `visitPart`, the visits with their first row in the quarter, and with their last; then
 * the same of rows whose time is known.
 */
export const quarterVisit = {
  ...visitPart,
  first: visitParts,
  last: visitParts + 1,
  firstTimed: visitParts + 2,
  lastTimed: visitParts + 3,
} as const;
export const quarterVisits = visitParts + 4;

const classOf = classTables[rowFlag.unique];

/** Adds up the quarters of one month. */
export class QuarterSums {
  /** By quarter of the month, then by class. */
  private readonly counts = new Uint32Array(quartersPerMonth * cellsPerId);
  private readonly totalMs = new Float64Array(quartersPerMonth);
  private readonly visits = new Uint32Array(quartersPerMonth * quarterVisits);
  private readonly outside = outsideOf(quartersPerMonth);
  private hasOutside = false;

  constructor(private readonly monthMs: number) {}

  /** Adds the rows of a chunk, which are by time. */
  addRows(chunk: Chunk): void {
    const { time, flags, duration, visit, visitFlags, rows } = chunk;
    const { counts, totalMs, visits, outside } = this;
    this.hasOutside ||= hasOutside(chunk);
    for (let row = 0; row < rows; row++) {
      const quarter = quarterOf(time, row);
      counts[quarter * cellsPerId + classOf[flags[row]!]!]!++;
      totalMs[quarter]! += duration[row]!;
      addVisitParts(visits, quarter * quarterVisits, visitFlags[row]!);
      if (visit[row] !== 0) continue;
      outside.pageviews[quarter]! += isPageView(flags[row]!);
      outside.totalMs[quarter]! += duration[row]!;
    }
    this.addVisits(chunk);
  }

  private addVisits({ time, visit, flags, rows }: Chunk): void {
    const { visits } = this;
    const seenIn = () => new Set<number>([0]);
    const [first, last, firstTimed, lastTimed] = [seenIn(), seenIn(), seenIn(), seenIn()];
    const add = (seen: Set<number>, row: number, part: number) => {
      if (seen.has(visit[row]!)) return;
      seen.add(visit[row]!);
      visits[quarterOf(time, row) * quarterVisits + part]!++;
    };
    const isTimed = (row: number) => (flags[row]! & rowFlag.timed) !== 0;
    for (let row = 0; row < rows; row++) {
      add(first, row, quarterVisit.first);
      if (isTimed(row)) add(firstTimed, row, quarterVisit.firstTimed);
    }
    for (let row = rows - 1; row >= 0; row--) {
      add(last, row, quarterVisit.last);
      if (isTimed(row)) add(lastTimed, row, quarterVisit.lastTimed);
    }
  }

  private hasVisit(quarter: number): boolean {
    const from = quarter * quarterVisits;
    return this.visits.subarray(from, from + quarterVisits).some((count) => count > 0);
  }

  get quarters(): Quarters {
    const { counts } = this;
    const numbers: number[] = [];
    const before = [0, 0, 0, 0, 0, 0];
    const sums = [...before];
    const beforeMs = [0];
    const visits = Array.from({ length: quarterVisits }, () => 0);
    const outside: readonly [number[], number[]] = [[0], [0]];
    for (let quarter = 0; quarter < quartersPerMonth; quarter++) {
      const from = quarter * cellsPerId;
      if (!hasPageView(counts, from) && !this.hasVisit(quarter)) continue;
      numbers.push(this.monthMs / quarterMs + quarter);
      for (let kind = 0; kind < pageViewClasses; kind++)
        before.push((sums[kind] = sums[kind]! + counts[from + kind]!));
      for (let part = 0; part < quarterVisits; part++)
        visits.push(visits[visits.length - quarterVisits]! + this.visits[quarter * quarterVisits + part]!);
      beforeMs.push(beforeMs.at(-1)! + this.totalMs[quarter]!);
      outside[0].push(outside[0].at(-1)! + this.outside.pageviews[quarter]!);
      outside[1].push(outside[1].at(-1)! + this.outside.totalMs[quarter]!);
    }
    return {
      numbers: Int32Array.from(numbers),
      counts: Uint32Array.from(before),
      totalMs: Float64Array.from(beforeMs),
      visits: Uint32Array.from(visits),
      outside: this.hasOutside
        ? { pageviews: Uint32Array.from(outside[0]), totalMs: Float64Array.from(outside[1]) }
        : undefined,
    };
  }
}

/** Returns the index of the first quarter with at least this number; the number of quarters if there is none. */
export function placeOf({ numbers }: Quarters, number: number): number {
  return firstAtLeast(numbers, number);
}

/** Returns how many page views whose time is known come before the quarter at index `place`. */
export function knownBefore({ counts }: Quarters, place: number): number {
  const from = place * pageViewClasses;
  return (
    counts[from + rowClass.timed]! +
    counts[from + rowClass.visitorTimed]! +
    counts[from + rowClass.uniqueTimed]! +
    counts[from + rowClass.uniqueBounced]!
  );
}

/** Returns the quarter of a row, counted from the start of its month. */
function quarterOf(time: Uint32Array, row: number): number {
  return Math.floor(time[row]! / quarterMs);
}
