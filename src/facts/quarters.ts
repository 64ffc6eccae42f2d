/**
 * Totals by quarter of an hour. Local time is some number of them ahead of UTC almost everywhere and always, so that an
 * hour, a day, a week or a month of a calendar is a range of them.
 */
import { dayMs } from "../core/hit.ts";
import { firstAtLeast } from "../lib/search.ts";
import { rowFlag, type Chunk } from "../store/columns/chunk.ts";
import { cellsPerId, hasPageView } from "./row-sums.ts";
import { classTables, pageViewClasses, rowClass } from "../store/columns/row-class.ts";

export const quarterMs = 15 * 60_000;
const quartersPerMonth = (31 * dayMs) / quarterMs;

export interface Quarters {
  /** Of those that have page views: how many quarters after the start of 1970; they rise. */
  readonly numbers: Int32Array;
  /** By quarter, and for the end of the last: the rows before it in each of the `pageViewClasses` classes, visitors by `p`. */
  readonly counts: Uint32Array;
}

const classOf = classTables[rowFlag.unique];

/** Of one month, while they are added up. */
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

/** The place of the first that is not before the quarter with that number; as many as there are if there is none. */
export function placeOf({ numbers }: Quarters, number: number): number {
  return firstAtLeast(numbers, number);
}

/** How many page views whose time is known come before the quarter at a place. */
export function knownBefore({ counts }: Quarters, place: number): number {
  const from = place * pageViewClasses;
  return (
    (counts[from + rowClass.timed] as number) +
    (counts[from + rowClass.visitorTimed] as number) +
    (counts[from + rowClass.uniqueTimed] as number) +
    (counts[from + rowClass.uniqueBounced] as number)
  );
}

/** Of a row in its month. */
function quarterOf(time: Uint32Array, row: number): number {
  return Math.floor(time[row]! / quarterMs);
}
