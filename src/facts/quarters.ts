/**
 * Totals by quarter of an hour. Almost everywhere and always, local time is a whole number of quarters ahead of UTC, so
 * a calendar hour, day, week or month is a range of them.
 */
import { dayMs } from "../core/hit.ts";
import { firstAtLeast } from "../lib/search.ts";
import { rowFlag, type Chunk } from "../store/columns/chunk.ts";
import { cellsPerId, hasPageView } from "./row-sums.ts";
import { classTables, pageViewClasses, rowClass } from "../store/columns/row-class.ts";

export const quarterMs = 15 * 60_000;
const quartersPerMonth = (31 * dayMs) / quarterMs;

export interface Quarters {
  /** The quarters that have page views, rising: each is the number of quarters since the start of 1970. */
  readonly numbers: Int32Array;
  /**
   * By quarter, and once more after the last: the number of earlier rows in each of the `pageViewClasses` classes;
   * visitors are those with `p`.
   */
  readonly counts: Uint32Array;
}

const classOf = classTables[rowFlag.unique];

/** Adds up the quarters of one month. */
export class QuarterSums {
  /** By quarter of the month, then by class. */
  private readonly counts = new Uint32Array(quartersPerMonth * cellsPerId);

  constructor(private readonly monthMs: number) {}

  addRows({ time, flags, rows }: Chunk): void {
    const { counts } = this;
    for (let row = 0; row < rows; row++) {
      const cell = quarterOf(time, row) * cellsPerId + (classOf[flags[row] as number] as number);
      counts[cell] = (counts[cell] as number) + 1;
    }
  }

  get quarters(): Quarters {
    const { counts } = this;
    const numbers: number[] = [];
    const before = [0, 0, 0, 0, 0, 0];
    const sums = [...before];
    for (let quarter = 0; quarter < quartersPerMonth; quarter++) {
      const from = quarter * cellsPerId;
      if (!hasPageView(counts, from)) continue;
      numbers.push(this.first + quarter);
      for (let kind = 0; kind < pageViewClasses; kind++)
        before.push((sums[kind] = (sums[kind] as number) + (counts[from + kind] as number)));
    }
    return { numbers: Int32Array.from(numbers), counts: Uint32Array.from(before) };
  }

  private get first(): number {
    return this.monthMs / quarterMs;
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
    (counts[from + rowClass.timed] as number) +
    (counts[from + rowClass.visitorTimed] as number) +
    (counts[from + rowClass.uniqueTimed] as number) +
    (counts[from + rowClass.uniqueBounced] as number)
  );
}

/** Returns the quarter of a row, counted from the start of its month. */
function quarterOf(time: Uint32Array, row: number): number {
  return Math.floor(time[row]! / quarterMs);
}
