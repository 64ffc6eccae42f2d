/**
 * The sums of whole months together, as a rollup with one part: what lists over years are made of. Each month is added
 * where its numbers are decoded, so that years take no more memory than one month does.
 */
import type { DerivedName } from "../../core/questions/stored-dimension.ts";
import { lazyObject, once } from "../../lib/lazy.ts";
import { PackedColumns } from "../../lib/packing/packed-columns.ts";
import { roomFor } from "../../lib/memory/scratch.ts";
import { visitParts } from "../../store/columns/row-flag.ts";
import { pageViewClasses } from "../../store/columns/row-class.ts";
import type { Rollup, VisitTimes } from "../entries.ts";
import type { RollupOf } from "../facts.ts";
import { outsideOf } from "../outside-visits.ts";
import { rollupByClass } from "./class-sums.ts";
import type { ReducedFacts } from "./reduced-facts.ts";
import {
  addMonth,
  addVisitEnds,
  addVisits,
  kindOf,
  noSumColumns,
  noVisitEnds,
  noVisits,
  sumsName,
  takeOthers,
  visitsName,
  type SumColumns,
  type VisitEnds,
  type Visits,
} from "./sections/reduced-sections.ts";
import { rowsName } from "../../store/state/reduced-month.ts";
import { timedName } from "./sections/timed-sections.ts";
import { columnsOfWhole } from "./sections/whole-columns.ts";

/** Keeps what is made of the months together. */
export type KeepTogether = <T extends object>(name: string, make: () => T) => T;

/**
 * Returns a rollup whose columns are read when they are first asked for. `classOf`: the class of each value; with it, the
 * rollup has one entry a class, with one of its values. Its columns throw what reading the months throws.
 */
export function rollupTogether(
  months: readonly ReducedFacts[],
  of: RollupOf,
  keep: KeepTogether,
  classOf?: Uint32Array,
): Rollup {
  const found = once(() => {
    const values = new Values(classOf);
    const added = months.map((facts) => addedOf(facts, of, values));
    return { ids: values.ids, added };
  });
  let isByClass = false;
  const { ids } = keep(`${of} ids`, () => {
    const { ids, added } = found();
    isByClass = classOf !== undefined && added.every(({ from }) => !(from instanceof PackedColumns));
    return { ids };
  });
  const sums = once(() => keep(`${of} sums`, () => sumsOf(found().added, of, ids.length)));
  const visits = once(() => keep(`${of} visits`, () => visitsOf(found().added, of, ids.length)));
  const visitEnds = once(() => keep(`${of} visit ends`, () => visitEndsOf(found().added, of, ids.length)));
  const times = once(() => keep(`${of} times`, () => timesOf(found().added, of, visits().distinctVisits)));
  // The sums by class are read at once, all of them: those that the next question needs are kept too.
  if (isByClass) for (const column of [sums, visits, visitEnds, times]) column();
  return lazyObject<Rollup>({
    ...columnsOfWhole(ids, sums, visits, visitEnds),
    timedVisitsOfPart: () => times().timedVisitsOfPart,
    timedVisits: () => times().timedVisits,
    outside: () => times().outside,
  });
}

/** The values or classes of all months: each has an entry from when it is first met. */
class Values {
  /** By value or class: its entry, counted from 1. */
  private places = new Uint32Array(0);
  private readonly met: number[] = [];

  constructor(readonly classOf: Uint32Array | undefined) {}

  /** By entry: its value, or one of the values of its class. */
  get ids(): Uint32Array {
    return Uint32Array.from(this.met);
  }

  /** Returns the entries of values. With `entries`, they are written there, which may be the values themselves. */
  entriesOf(ids: Uint32Array, entries: Uint32Array = new Uint32Array(ids.length)): Uint32Array {
    const { classOf, met } = this;
    let most = -1;
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]! | 0;
      most = Math.max(most, classOf === undefined ? id : classOf[id]! | 0);
    }
    this.makeRoom(most + 1);
    const { places } = this;
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at]! | 0;
      const key = classOf === undefined ? id : classOf[id]! | 0;
      if (places[key] === 0) places[key] = met.push(id);
      entries[at] = (places[key]! - 1) | 0;
    }
    return entries;
  }

  private makeRoom(length: number): void {
    if (length <= this.places.length) return;
    const places = new Uint32Array(roomFor(length));
    places.set(this.places);
    this.places = places;
  }
}

/** A month that is added. */
interface Added {
  readonly facts: ReducedFacts;
  /** Its sums as a rollup, or the section of its rows, if its sums are apart and can be added without the rest. */
  readonly from: Rollup | PackedColumns;
  /** By entry of its rollup: that of the months together. */
  readonly entryOf: Uint32Array;
}

function addedOf(facts: ReducedFacts, of: RollupOf, values: Values): Added {
  const { month } = facts;
  if (!month.has(sumsName(of))) return addedRollup(facts, facts.rollup(of, "whole"), values);
  const kind = kindOf(of);
  const rows = new PackedColumns(month.section(rowsName(kind)));
  const ids = month.idsOf(rows, kind);
  const byClass = values.classOf && rollupByClass(month, of as DerivedName, ids, values.classOf);
  if (byClass !== undefined) return addedRollup(facts, byClass, values);
  // The ids are needed no more: years take half the memory where the entries take their place.
  return { facts, from: rows, entryOf: values.entriesOf(ids, ids) };
}

function addedRollup(facts: ReducedFacts, from: Rollup, values: Values): Added {
  return { facts, from, entryOf: values.entriesOf(from.ids) };
}

function sumsOf(months: readonly Added[], of: RollupOf, count: number): SumColumns {
  const sums = noSumColumns(count);
  for (const { facts, from, entryOf } of months)
    if (from instanceof PackedColumns) addMonth(sums, from, facts.month.section(sumsName(of)), entryOf);
    else addRollup(sums, from, entryOf);
  takeOthers(sums);
  return sums;
}

/** Does what `addMonth` does, for a month of an earlier format, or from before the dimension. */
function addRollup({ unique, counts, totalMs }: SumColumns, rollup: Rollup, entryOf: Uint32Array): void {
  const [width, last] = [pageViewClasses, pageViewClasses - 1];
  unique[0]! += rollup.unique[0]!;
  entryOf.forEach((entry, own) => {
    totalMs[entry]! += rollup.totalMs[own]!;
    for (let kind = 0; kind < width; kind++) {
      const rows = rollup.counts[own * width + kind]!;
      if (kind < last) counts[entry * width + kind]! += rows;
      counts[entry * width + last]! += rows;
    }
  });
}

function visitsOf(months: readonly Added[], of: RollupOf, count: number): Visits {
  const visits = noVisits(count);
  for (const { facts, from, entryOf } of months) {
    if (from instanceof PackedColumns) {
      addVisits(visits, facts.month.section(visitsName(of)), entryOf);
      continue;
    }
    visits.visitsOfPart[0]! += from.visitsOfPart[0]!;
    addTo(visits.distinctVisits, from.distinctVisits, entryOf);
  }
  return visits;
}

function visitEndsOf(months: readonly Added[], of: RollupOf, count: number): VisitEnds {
  const ends = noVisitEnds(count);
  for (const { facts, from, entryOf } of months)
    if (from instanceof PackedColumns) addVisitEnds(ends, facts.month.section(visitsName(of)), entryOf);
    else addTo(ends.visits, from.visits, entryOf, visitParts);
  return ends;
}

/** `distinctVisits`: those of all months by entry. */
function timesOf(months: readonly Added[], of: RollupOf, distinctVisits: Uint32Array): VisitTimes {
  const count = distinctVisits.length;
  const timedVisitsOfPart = new Uint32Array(1);
  const untimed = new Uint32Array(count);
  const outside = outsideOf(count);
  let hasOutside = false;
  for (const { facts, from, entryOf } of months) {
    if (facts.isTimed && from instanceof PackedColumns) {
      const columns = new PackedColumns(facts.month.section(timedName(sumsName(of))));
      timedVisitsOfPart[0]! += columns.column(0)[0]!;
      columns.addTo(untimed, 1, { width: 1, at: 0, entryOf });
      if (columns.count === 2) continue;
      hasOutside = true;
      columns.addTo(outside.pageviews, 2, { width: 1, at: 0, entryOf });
      columns.addTo(outside.totalMs, 3, { width: 1, at: 0, entryOf });
      continue;
    }
    const rollup = from instanceof PackedColumns ? facts.rollup(of, "whole") : from;
    timedVisitsOfPart[0]! += rollup.timedVisitsOfPart[0]!;
    const visits = rollup.distinctVisits.map((visits, own) => visits - rollup.timedVisits[own]!);
    addTo(untimed, visits, entryOf);
    if (rollup.outside === undefined) continue;
    hasOutside = true;
    addTo(outside.pageviews, rollup.outside.pageviews, entryOf);
    addTo(outside.totalMs, rollup.outside.totalMs, entryOf);
  }
  return {
    timedVisitsOfPart,
    timedVisits: untimed.map((visits, entry) => distinctVisits[entry]! - visits),
    outside: hasOutside ? outside : undefined,
  };
}

/** Adds `width` numbers of each entry to those of its entry in `to`. */
function addTo<T extends Uint32Array | Float64Array>(to: T, from: T, entryOf: Uint32Array, width = 1): void {
  for (let at = 0; at < from.length; at++)
    to[entryOf[Math.floor(at / width)]! * width + (at % width)]! += from[at]!;
}
