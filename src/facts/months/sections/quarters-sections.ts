/**
 * The quarters of an hour of a reduced month, as sections of its file. Files of earlier versions and imported sums have
 * only the first: all their visits count as timed if any time is known in the month.
 *
 *   quarters       := numbers, totalMs, each of `counts`, each of `visits` but the timed ones; all are rises
 *   timed quarters := the timed ones; then page views without a visit and their milliseconds, if there are any
 */
import { packed, PackedColumns, type Column } from "../../../lib/packing/packed-columns.ts";
import type { Section } from "../../../snapshot/section.ts";
import { pageViewClasses } from "../../../store/columns/row-class.ts";
import { visitParts } from "../../../store/columns/row-flag.ts";
import type { Rollup } from "../../entries.ts";
import { outsideOf } from "../../outside-visits.ts";
import { quarterVisit, quarterVisits, type Quarters } from "../../quarters.ts";
import { columnsOf, timedName } from "./timed-sections.ts";

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
  return packed([
    Uint32Array.from(numbers),
    rises(numbers, totalMs, 1, 0),
    ...Array.from({ length: pageViewClasses }, (_, kind) => rises(numbers, counts, pageViewClasses, kind)),
    ...Array.from({ length: quarterParts }, (_, part) => rises(numbers, visits, quarterVisits, part)),
  ]);
}

/** Returns by how much the sums of a column rise in each of the quarters. */
function rises(numbers: Int32Array, column: Column, width: number, part: number): Float64Array {
  return Float64Array.from(numbers, (_, at) => column[(at + 1) * width + part]! - column[at * width + part]!);
}

/** `timed`: the section of the timed ones; without it, no visit is timed. */
export function unpackedQuarters(data: Uint8Array, timed?: Uint8Array): Quarters {
  const columns = new PackedColumns(data);
  const numbers = Int32Array.from(columns.column(0));
  const size = numbers.length + 1;
  const totalMs = new Float64Array(size);
  columns.addTo(totalMs, 1, { width: 1, at: 1 });
  const counts = new Uint32Array(size * pageViewClasses);
  for (let kind = 0; kind < pageViewClasses; kind++)
    columns.addTo(counts, 2 + kind, { width: pageViewClasses, at: pageViewClasses + kind });
  const visits = new Uint32Array(size * quarterVisits);
  const placeOf = (part: number) => ({ width: quarterVisits, at: quarterVisits + part });
  for (let part = 0; part < quarterParts; part++)
    columns.addTo(visits, 2 + pageViewClasses + part, placeOf(part));
  const times = timed && new PackedColumns(timed);
  timedParts.forEach((part, at) => times?.addTo(visits, at, placeOf(part)));
  const [views, milliseconds] = [timedParts.length, timedParts.length + 1];
  const outside = times !== undefined && times.count > milliseconds ? outsideOf(size) : undefined;
  if (outside !== undefined) {
    times!.addTo(outside.pageviews, views, { width: 1, at: 1 });
    times!.addTo(outside.totalMs, milliseconds, { width: 1, at: 1 });
    addUp(outside.pageviews, 1);
    addMsUp(outside.totalMs);
  }
  addMsUp(totalMs);
  addUp(counts, pageViewClasses);
  addUp(visits, quarterVisits);
  return { numbers, totalMs, counts, visits, outside };
}

/** Returns what all quarters of a month add up to, as a single one. `month`: its rollup by any list. */
export function totalOf(month: Rollup): Quarters {
  const { first, last, firstTimed, lastTimed } = quarterVisit;
  const visits = new Uint32Array(2 * quarterVisits);
  visits.set(totalsOf(month.visits, new Uint32Array(visitParts)), quarterVisits);
  for (const part of [first, last]) visits[quarterVisits + part] = month.visitsOfPart[0]!;
  for (const part of [firstTimed, lastTimed]) visits[quarterVisits + part] = month.timedVisitsOfPart[0]!;
  const { outside } = month;
  return {
    numbers: new Int32Array(1),
    totalMs: Float64Array.of(0, totalsOf(month.totalMs, new Float64Array(1))[0]!),
    counts: Uint32Array.from([...noCounts, ...totalsOf(month.counts, new Uint32Array(pageViewClasses))]),
    visits,
    outside: outside && {
      pageviews: Uint32Array.of(0, totalsOf(outside.pageviews, new Uint32Array(1))[0]!),
      totalMs: Float64Array.of(0, totalsOf(outside.totalMs, new Float64Array(1))[0]!),
    },
  };
}

const noCounts = new Uint32Array(pageViewClasses);

/** Adds up entries of as many numbers as `to` has. */
function totalsOf<T extends Column>(numbers: Column, to: T): T {
  for (let at = 0; at < numbers.length; at++) to[at % to.length]! += numbers[at]!;
  return to;
}

/** Makes each entry of so many numbers the sum of all up to it. */
function addUp(numbers: Uint32Array, width: number): void {
  for (let at = width; at < numbers.length; at++) numbers[at] = (numbers[at]! + numbers[at - width]!) | 0;
}

function addMsUp(milliseconds: Float64Array): void {
  for (let at = 1; at < milliseconds.length; at++) milliseconds[at]! += milliseconds[at - 1]!;
}

const timedParts = [quarterVisit.firstTimed, quarterVisit.lastTimed];
const parts = [quarterVisit.first, quarterVisit.last];

export function timedQuarters({ numbers, visits, outside }: Quarters): Section {
  return {
    name: timedName("quarters"),
    data: packed([
      ...timedParts.map((part) => rises(numbers, visits, quarterVisits, part)),
      ...columnsOf(outside).map((column) => rises(numbers, column, 1, 0)),
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
