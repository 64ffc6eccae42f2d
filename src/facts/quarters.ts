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

/** Adds up the quarters of a chunk, whose rows are by time. */
export function quartersOfChunk(chunk: Chunk): Quarters {
  const { time, flags, duration, visit, visitFlags, rows } = chunk;
  // By quarter of the month, then by class or `quarterVisit`.
  const counts = new Uint32Array(quartersPerMonth * cellsPerId);
  const totalMs = new Float64Array(quartersPerMonth);
  const visits = new Uint32Array(quartersPerMonth * quarterVisits);
  const outside = outsideOf(quartersPerMonth);
  for (let row = 0; row < rows; row++) {
    const quarter = quarterOf(time, row);
    counts[quarter * cellsPerId + classOf[flags[row]!]!]!++;
    totalMs[quarter]! += duration[row]!;
    addVisitParts(visits, quarter * quarterVisits, visitFlags[row]!);
    if (visit[row] !== 0) continue;
    outside.pageviews[quarter]! += isPageView(flags[row]!);
    outside.totalMs[quarter]! += duration[row]!;
  }
  addVisits(visits, chunk);
  const used = Array.from(totalMs.keys()).filter((quarter) => isUsed(counts, visits, quarter));
  return {
    numbers: Int32Array.from(used, (quarter) => chunk.monthMs / quarterMs + quarter),
    counts: sumsBefore(used, counts, new Uint32Array((used.length + 1) * pageViewClasses), cellsPerId),
    totalMs: sumsBefore(used, totalMs, new Float64Array(used.length + 1)),
    visits: sumsBefore(used, visits, new Uint32Array((used.length + 1) * quarterVisits), quarterVisits),
    outside: hasOutside(chunk)
      ? {
          pageviews: sumsBefore(used, outside.pageviews, new Uint32Array(used.length + 1)),
          totalMs: sumsBefore(used, outside.totalMs, new Float64Array(used.length + 1)),
        }
      : undefined,
  };
}

/** Adds the first and the last row of each visit, and those whose time is known. */
function addVisits(visits: Uint32Array, { time, visit, flags, rows }: Chunk): void {
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

function isUsed(counts: Uint32Array, visits: Uint32Array, quarter: number): boolean {
  const from = quarter * quarterVisits;
  return (
    hasPageView(counts, quarter * cellsPerId) ||
    visits.subarray(from, from + quarterVisits).some((count) => count > 0)
  );
}

/**
 * Fills `to`, which has as many numbers for each of these quarters and once more, with the sums of all before. `numbers`: by
 * quarter, `width` each.
 */
function sumsBefore<T extends Uint32Array | Float64Array>(
  quarters: readonly number[],
  numbers: T,
  to: T,
  width = 1,
): T {
  const own = to.length / (quarters.length + 1);
  quarters.forEach((quarter, at) => {
    for (let part = 0; part < own; part++)
      to[(at + 1) * own + part] = to[at * own + part]! + numbers[quarter * width + part]!;
  });
  return to;
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
