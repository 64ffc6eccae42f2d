/**
 * The sections of a reduced month's file. They hold what the facts of a chunk hold, complete, and in place of rows the
 * numbers without which sums over several days would count visits twice. Each is packed (lib/packing/packed-columns.ts), but for
 * the days.
 *
 *   rows K      := ids (gaps), rows: also the entries of the rollups of the month
 *   sums D      := unique, totalMs, each of `counts` but the last, which is what they leave of the rows
 *   visits D    := visitsOfPart, distinctVisits, each of `visits`
 *   days D      := the rollup by day (coded-days.ts), but for lists that the days of another tell (`isInChannelDays`)
 *   repeats D   := ids, days, nextDays, visits; `repeats` alone has all values as one
 *   crossings   := lasts, firsts, visits
 *   quarters    := quarters-sections.ts
 *   durations U := digests by UTC month, day or hour
 *   pages       := those by id of the path (paged-digests.ts)
 *   events      := names, days, events
 *   uses K      := ids, counts: of names of properties
 *
 * More about visits is in the sections of timed-sections.ts. Months of the first format have `rollup D U` in place of
 * sums, visits and days (with ends and ids, U is whole or day), `uses K` in place of rows, and all digests of pages in
 * one section.
 */
import { channelMembers } from "../../../core/questions/channel.ts";
import {
  derivedColumns,
  dimensionIndex,
  storedDimensions,
} from "../../../core/questions/stored-dimension.ts";
import {
  addGaps,
  gapsOf,
  packed,
  PackedColumns,
  unpacked,
  type Column,
} from "../../../lib/packing/packed-columns.ts";
import { visitParts } from "../../../store/columns/row-flag.ts";
import { pageViewClasses } from "../../../store/columns/row-class.ts";
import type { Section } from "../../../snapshot/section.ts";
import { rowsName, type IdKind } from "../../../store/state/reduced-month.ts";
import { codedDays } from "./coded-days.ts";
import type { Rollup, RollupSums, Unit } from "../../entries.ts";
import type { RollupOf } from "../../facts.ts";
import type { Repeats } from "./repeats.ts";

/** By entry: a name, a day, and the number of events. */
export interface EventsByDay {
  readonly names: Uint32Array;
  readonly days: Uint32Array;
  readonly events: Uint32Array;
}

/** The name of a rollup in the first format. */
export function rollupName(of: RollupOf, unit: Unit): string {
  return `rollup ${nameOf(of)} ${unit}`;
}

/** The names of what a month keeps by value of a dimension or channel. */
export function sumsName(of: RollupOf): string {
  return `sums ${nameOf(of)}`;
}

export function visitsName(of: RollupOf): string {
  return `visits ${nameOf(of)}`;
}

export function daysName(of: RollupOf): string {
  return `days ${nameOf(of)}`;
}

export function repeatsName(of: RollupOf): string {
  return `repeats ${nameOf(of)}`;
}

/** Returns what the ids of a rollup are. */
export function kindOf(of: RollupOf): IdKind {
  return typeof of === "number" ? { dimension: of } : { column: derivedColumns[of] };
}

export function nameOf(of: RollupOf): string {
  return typeof of === "string" ? of : storedDimensions[of]!.name;
}

const { referrer, source, medium } = channelMembers.visit_channel;
const inChannelDays: ReadonlySet<RollupOf> = new Set(
  [referrer, source, medium].map((name) => dimensionIndex[name]),
);

/**
 * Whether the days of channels by visit tell those of a list: a visit has one source, and tuples that stand for one
 * channel have the same value of it.
 */
export function isInChannelDays(of: RollupOf): boolean {
  return inChannelDays.has(of);
}

/** The sums of a month's rollup, its visits, and where they began and ended: fewer questions need these. */
export type SumColumns = Pick<RollupSums, "unique" | "counts" | "totalMs">;
export type Visits = Pick<RollupSums, "visitsOfPart" | "distinctVisits">;
export type VisitEnds = Pick<RollupSums, "visits">;

/** Returns the sections of a month's rollup and of that of its days, if it has any, whose ids rise in each part (`sorted`). */
export function rollupSections(of: RollupOf, whole: RollupSums, days: RollupSums | undefined): Section[] {
  const { ids, unique, counts, totalMs, visitsOfPart, distinctVisits, visits } = whole;
  const column = (of: Column, width: number, at: number) =>
    totalMs.map((_, entry) => of[entry * width + at]!);
  const classes = Array.from({ length: pageViewClasses }, (_, kind) => column(counts, pageViewClasses, kind));
  const rows = totalMs.map((_, entry) => classes.reduce((sum, own) => sum + own[entry]!, 0));
  const parts = Array.from({ length: visitParts }, (_, part) => column(visits, visitParts, part));
  return [
    { name: rowsName(kindOf(of)), data: packed([gapsOf(ids, Uint32Array.of(ids.length)), rows]) },
    { name: sumsName(of), data: packed([unique, totalMs, ...classes.slice(0, -1)]) },
    { name: visitsName(of), data: packed([visitsOfPart, distinctVisits, ...parts]) },
    ...(days ? [{ name: daysName(of), data: codedDays(whole, days) }] : []),
  ];
}

/** `rows`: the section of its rows; `entries`: how many it has. */
export function unpackedSums(entries: number, rows: Uint8Array, data: Uint8Array): SumColumns {
  const sums = noSumColumns(entries);
  addMonth(sums, new PackedColumns(rows), data);
  takeOthers(sums);
  return sums;
}

/** Returns sums that are all 0, of so many entries. */
export function noSumColumns(entries: number): SumColumns {
  return {
    unique: new Uint32Array(1),
    counts: new Uint32Array(entries * pageViewClasses),
    totalMs: new Float64Array(entries),
  };
}

/**
 * Adds a month to sums whose last class has all rows of an entry: `takeOthers` makes it what the others leave of them.
 * `rows`: the section of its rows. `entryOf`: by entry of the month, that of the sums; without it, it is the same.
 */
export function addMonth(to: SumColumns, rows: PackedColumns, data: Uint8Array, entryOf?: Uint32Array): void {
  const columns = new PackedColumns(data);
  const [width, last] = [pageViewClasses, pageViewClasses - 1];
  const { unique, counts, totalMs } = to;
  unique[0]! += columns.column(0)[0]!;
  columns.addTo(totalMs, 1, { width: 1, at: 0, entryOf });
  for (let kind = 0; kind < last; kind++) columns.addTo(counts, 2 + kind, { width, at: kind, entryOf });
  rows.addTo(counts, 1, { width, at: last, entryOf });
}

export function takeOthers({ counts }: SumColumns): void {
  const last = pageViewClasses - 1;
  for (let first = 0; first < counts.length; first += pageViewClasses) {
    let others = 0;
    for (let kind = 0; kind < last; kind++) others += counts[first + kind]!;
    counts[first + last]! -= others;
  }
}

export function noVisits(entries: number): Visits {
  return { visitsOfPart: new Uint32Array(1), distinctVisits: new Uint32Array(entries) };
}

export function noVisitEnds(entries: number): VisitEnds {
  return { visits: new Uint32Array(entries * visitParts) };
}

/** Adds the visits of a month to `to`, and returns it. `entryOf` as `addMonth` takes it. */
export function addVisits(to: Visits, data: Uint8Array, entryOf?: Uint32Array): Visits {
  const columns = new PackedColumns(data);
  to.visitsOfPart[0]! += columns.column(0)[0]!;
  columns.addTo(to.distinctVisits, 1, { width: 1, at: 0, entryOf });
  return to;
}

/** Does the same with where they began and ended, from the same section. */
export function addVisitEnds(to: VisitEnds, data: Uint8Array, entryOf?: Uint32Array): VisitEnds {
  const columns = new PackedColumns(data);
  for (let part = 0; part < visitParts; part++)
    columns.addTo(to.visits, 2 + part, { width: visitParts, at: part, entryOf });
  return to;
}

/** Returns a rollup in which the ids of each part rise, and an id has one entry in it. */
export function sorted(rollup: Rollup): Rollup {
  const { ends, ids, counts, totalMs, visits, distinctVisits, timedVisits, outside } = rollup;
  const order = orderOf(ids, ends);
  const places = new Uint32Array(order.length);
  const endsOfMerged: number[] = [];
  let [from, size] = [0, 0];
  for (const end of ends) {
    for (let at = from; at < end; at++) {
      const isNext = at === from || ids[order[at]!] !== ids[order[at - 1]!];
      if (isNext) size++;
      places[at] = size - 1;
    }
    endsOfMerged.push(size);
    from = end;
  }
  const merged = <T extends Column>(column: T, to: T, width: number): T => {
    for (let at = 0; at < order.length; at++)
      for (let part = 0; part < width; part++)
        to[places[at]! * width + part]! += column[order[at]! * width + part]!;
    return to;
  };
  const idsOfMerged = new Uint32Array(size);
  places.forEach((place, at) => (idsOfMerged[place] = ids[order[at]!]!));
  return {
    ...rollup,
    ends: Uint32Array.from(endsOfMerged),
    ids: idsOfMerged,
    counts: merged(counts, new Uint32Array(size * pageViewClasses), pageViewClasses),
    totalMs: merged(totalMs, new Float64Array(size), 1),
    visits: merged(visits, new Uint32Array(size * visitParts), visitParts),
    distinctVisits: merged(distinctVisits, new Uint32Array(size), 1),
    timedVisits: merged(timedVisits, new Uint32Array(size), 1),
    outside: outside && {
      pageviews: merged(outside.pageviews, new Uint32Array(size), 1),
      totalMs: merged(outside.totalMs, new Float64Array(size), 1),
    },
  };
}

/** Returns the entries in the order of parts, and by id in each part. */
export function orderOf(ids: Uint32Array, ends: Uint32Array): Float64Array {
  const keys = Float64Array.from(ids, (id, entry) => id * ids.length + entry);
  let from = 0;
  for (const end of ends) {
    keys.subarray(from, end).sort();
    from = end;
  }
  return keys.map((key) => key % ids.length);
}

/** Returns a rollup of the first format. */
export function unpackedRollup(data: Uint8Array): RollupSums {
  const columns = unpacked(data);
  const [ends, unique, visitsOfPart, ids, totalMs, distinctVisits, ...others] = columns as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Column,
    Uint32Array,
    ...Uint32Array[],
  ];
  return {
    ends,
    unique,
    visitsOfPart,
    ids: addGaps(ids, ends),
    totalMs: doubles(totalMs),
    distinctVisits,
    counts: woven(others.slice(0, pageViewClasses)),
    visits: woven(others.slice(pageViewClasses)),
  };
}

export function packedRepeats({ ids, days, nextDays, visits }: Repeats): Uint8Array {
  return packed([ids, days, nextDays, visits]);
}

export function unpackedRepeats(data: Uint8Array): Repeats {
  const [ids, days, nextDays, visits] = unpacked(data) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  return { ids, days, nextDays, visits };
}

function doubles(column: Column): Float64Array {
  return column instanceof Float64Array ? column : new Float64Array(column);
}

/** Returns the columns entry by entry. */
function woven(columns: readonly Uint32Array[]): Uint32Array {
  const width = columns.length;
  const woven = new Uint32Array(width * (columns[0]?.length ?? 0));
  columns.forEach((column, at) => {
    for (let entry = 0, to = at; entry < column.length; entry++, to += width) woven[to] = column[entry]!;
  });
  return woven;
}
