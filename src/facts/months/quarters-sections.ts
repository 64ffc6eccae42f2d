/**
 * The quarters of an hour of a reduced month, as sections of its file. Files of earlier versions and imported sums have
 * only the first: all their visits count as timed if any time is known in the month.
 *
 *   quarters       := numbers, totalMs, each of `counts`, each of `visits` but the timed ones; all are rises
 *   timed quarters := the timed ones; then page views without a visit and their milliseconds, if there are any
 */
import { packed, unpacked, type Column } from "../../lib/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import { pageViewClasses } from "../../store/columns/row-class.ts";
import { quarterVisit, quarterVisits, type Quarters } from "../quarters.ts";
import { woven } from "./reduced-sections.ts";
import { columnsOf, outsideOf, timedName } from "./timed-sections.ts";

/** By entry: the quarters of an hour of the last row here and of the first one in the next month, and how many visits. */
export interface Crossings {
  readonly lasts: Uint32Array;
  readonly firsts: Uint32Array;
  readonly visits: Uint32Array;
}

export const noCrossings: Crossings = {
  lasts: new Uint32Array(0),
  firsts: new Uint32Array(0),
  visits: new Uint32Array(0),
};

/** The section has these of `quarterVisit`; the others are in that of the timed visits. */
const quarterParts = quarterVisit.firstTimed;

export function packedQuarters({ numbers, counts, totalMs, visits }: Quarters): Uint8Array {
  const differences = (column: ArrayLike<number>, width: number, at: number) =>
    Float64Array.from(
      numbers,
      (_, quarter) => column[(quarter + 1) * width + at]! - column[quarter * width + at]!,
    );
  return packed([
    Uint32Array.from(numbers),
    differences(totalMs, 1, 0),
    ...Array.from({ length: pageViewClasses }, (_, kind) => differences(counts, pageViewClasses, kind)),
    ...Array.from({ length: quarterParts }, (_, part) => differences(visits, quarterVisits, part)),
  ]);
}

export function unpackedQuarters(data: Uint8Array): Quarters {
  const [numbers, totalMs, ...others] = unpacked(data) as [Uint32Array, Column, ...Uint32Array[]];
  const size = numbers.length + 1;
  const beforeMs = new Float64Array(size);
  for (let quarter = 1; quarter < size; quarter++)
    beforeMs[quarter] = beforeMs[quarter - 1]! + totalMs[quarter - 1]!;
  const before = (columns: readonly Uint32Array[]) => woven(columns.map(sumsBefore));
  return {
    numbers: Int32Array.from(numbers),
    totalMs: beforeMs,
    counts: before(others.slice(0, pageViewClasses)),
    visits: before([
      ...others.slice(pageViewClasses),
      ...Array.from({ length: quarterVisits - quarterParts }, () => new Uint32Array(numbers.length)),
    ]),
    outside: undefined,
  };
}

const timedParts = [quarterVisit.firstTimed, quarterVisit.lastTimed];
const parts = [quarterVisit.first, quarterVisit.last];

export function timedQuarters({ numbers, visits, outside }: Quarters): Section {
  const rises = (column: Column, width: number, part: number) =>
    Float64Array.from(numbers, (_, at) => column[(at + 1) * width + part]! - column[at * width + part]!);
  return {
    name: timedName("quarters"),
    data: packed([
      ...timedParts.map((part) => rises(visits, quarterVisits, part)),
      ...columnsOf(outside).map((column) => rises(column, 1, 0)),
    ]),
  };
}

/** Returns quarters in which all visits are timed. */
export function withAllTimed(quarters: Quarters): Quarters {
  const visits = quarters.visits.slice();
  for (let at = 0; at < visits.length; at += quarterVisits)
    timedParts.forEach((part, of) => (visits[at + part] = visits[at + parts[of]!]!));
  return { ...quarters, visits };
}

/** Returns quarters with their timed visits and page views without a visit. */
export function withTimes(quarters: Quarters, data: Uint8Array): Quarters {
  const visits = quarters.visits.slice();
  const size = quarters.numbers.length;
  const [first, last, ...others] = unpacked(data) as [Uint32Array, Uint32Array, ...Column[]];
  for (let at = 0; at < size; at++)
    [first, last].forEach((column, of) => {
      const part = timedParts[of]!;
      visits[(at + 1) * quarterVisits + part] = visits[at * quarterVisits + part]! + column[at]!;
    });
  const rises = outsideOf(others);
  if (rises === undefined) return { ...quarters, visits };
  const outside = { pageviews: new Uint32Array(size + 1), totalMs: new Float64Array(size + 1) };
  for (let at = 0; at < size; at++) {
    outside.pageviews[at + 1] = outside.pageviews[at]! + rises.pageviews[at]!;
    outside.totalMs[at + 1] = outside.totalMs[at]! + rises.totalMs[at]!;
  }
  return { ...quarters, visits, outside };
}

/** Returns the sum of the numbers before each, and of all. */
export function sumsBefore(column: Uint32Array): Uint32Array {
  const sums = new Uint32Array(column.length + 1);
  for (let at = 0; at < column.length; at++) sums[at + 1] = sums[at]! + column[at]!;
  return sums;
}
