/**
 * The sections of a reduced month's file that figures by visit need: its timed visits, and its page views without a visit.
 * Files from before, and imported sums, have none. There every visit of a value counts as timed if any time of the value
 * is known in the month, and every page view as one of a visit.
 *
 *   timed sums D    := timedVisitsOfPart, and of each entry: distinct visits that are not timed; then `outside`
 *   timed days D    := the same of the rollup by day
 *   timed repeats D := as `repeats D`, of rows whose time is known; so are `timed repeats` and `timed crossings`
 *   timed quarters  := first visits, last visits of each quarter; then `outside`
 *   outside         := page views, milliseconds; nothing if there are none
 */
import { packed, unpacked, type Column } from "../../lib/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import type { Rollup, RollupSums, VisitTimes } from "../entries.ts";
import type { Outside } from "../outside.ts";
import type { RollupOf } from "../facts.ts";
import { quarterVisit, quarterVisits, type Quarters } from "../quarters.ts";
import { daysName, rollupSections, sorted, sumsName, type ValueClasses } from "./reduced-sections.ts";
import type { Repeats } from "./repeats.ts";

/** The name of the section that has of a section's rows those whose time is known, or more about visits. */
export function timedName(name: string): string {
  return `timed ${name}`;
}

/** Returns all sections of a month's rollup and of that of its days. An id may be in several entries of a part. */
export function timedRollupSections(of: RollupOf, month: Rollup, days: Rollup): Section[] {
  const [whole, byDay] = [sorted(month), sorted(days)];
  return [
    ...rollupSections(of, whole, byDay),
    timedSection(sumsName(of), whole),
    timedSection(daysName(of), byDay),
  ];
}

function timedSection(name: string, rollup: Rollup): Section {
  const { timedVisitsOfPart, timedVisits, distinctVisits, outside } = rollup;
  const untimed = distinctVisits.map((visits, entry) => visits - timedVisits[entry]!);
  return { name: timedName(name), data: packed([timedVisitsOfPart, untimed, ...columnsOf(outside)]) };
}

/** `sums`: the distinct visits of the same entries. */
export function unpackedTimes(
  data: Uint8Array,
  { distinctVisits }: Pick<RollupSums, "distinctVisits">,
): VisitTimes {
  const [timedVisitsOfPart, untimed, ...others] = unpacked(data) as [Uint32Array, Uint32Array, ...Column[]];
  return {
    timedVisitsOfPart,
    timedVisits: untimed.map((visits, entry) => distinctVisits[entry]! - visits),
    outside: outsideOf(others),
  };
}

/** Returns times by group of values in place of those by value. */
export function summedTimes(times: VisitTimes, { ofEntry, ids }: ValueClasses): VisitTimes {
  const summed = <T extends Column>(column: T, to: T): T => {
    for (let entry = 0; entry < column.length; entry++) to[ofEntry[entry]!]! += column[entry]!;
    return to;
  };
  const { timedVisitsOfPart, timedVisits, outside } = times;
  return {
    timedVisitsOfPart,
    timedVisits: summed(timedVisits, new Uint32Array(ids.length)),
    outside: outside && {
      pageviews: summed(outside.pageviews, new Uint32Array(ids.length)),
      totalMs: summed(outside.totalMs, new Float64Array(ids.length)),
    },
  };
}

/** Returns the times of a rollup of a file from before. `hasTime`: whether any time of a value is known in the month. */
export function timesBefore(
  rollup: RollupSums,
  hasTime: (id: number) => boolean,
  hasAny: boolean,
): VisitTimes {
  const { ids, distinctVisits, visitsOfPart } = rollup;
  return {
    timedVisitsOfPart: hasAny ? visitsOfPart : visitsOfPart.map(() => 0),
    timedVisits: distinctVisits.map((visits, entry) => (hasTime(ids[entry]!) ? visits : 0)),
    outside: undefined,
  };
}

/** Returns those of the repeats whose value has a time. */
export function repeatsBefore(repeats: Repeats, hasTime: (id: number) => boolean): Repeats {
  const kept = (column: Uint32Array) => column.filter((_, at) => hasTime(repeats.ids[at]!));
  const { ids, days, nextDays, visits } = repeats;
  return { ids: kept(ids), days: kept(days), nextDays: kept(nextDays), visits: kept(visits) };
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

/** Returns quarters with their timed visits and page views without a visit. `data`: undefined in a file from before. */
export function withTimes(quarters: Quarters, data: Uint8Array | undefined): Quarters {
  const visits = quarters.visits.slice();
  const size = quarters.numbers.length;
  if (data === undefined) {
    if (quarters.totalMs[size] === 0) return quarters;
    for (let at = 0; at <= size; at++)
      timedParts.forEach((part, of) => {
        visits[at * quarterVisits + part] = visits[at * quarterVisits + parts[of]!]!;
      });
    return { ...quarters, visits };
  }
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

function columnsOf(outside: Outside | undefined): Column[] {
  return outside === undefined ? [] : [outside.pageviews, outside.totalMs];
}

function outsideOf([pageviews, totalMs]: readonly Column[]): Outside | undefined {
  if (pageviews === undefined || totalMs === undefined) return undefined;
  return { pageviews: pageviews as Uint32Array, totalMs: Float64Array.from(totalMs) };
}
