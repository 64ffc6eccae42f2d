/**
 * The sections of a reduced month's file that figures per visit need: its timed visits, and its page views without a
 * visit. Files of earlier versions and imported sums lack them: there every visit of a value counts as timed if any
 * time of the value is known in the month, and every page view belongs to a visit.
 *
 *   timed sums D    := timedVisitsOfPart, and of each entry: distinct visits that are not timed; then `outside`
 *   timed days D    := the same of the rollup by day
 *   timed repeats D := as `repeats D`, of rows whose time is known; so are `timed repeats` and `timed crossings`
 *   outside         := page views, milliseconds; nothing if there are none
 */
import { packed, unpacked, type Column } from "../../../lib/packing/packed-columns.ts";
import type { Section } from "../../../snapshot/section.ts";
import type { Rollup, RollupSums, VisitTimes } from "../../entries.ts";
import type { Outside } from "../../outside-visits.ts";
import type { RollupOf } from "../../facts.ts";
import { daysName, isInChannelDays, rollupSections, sorted, sumsName } from "./reduced-sections.ts";
import type { Repeats } from "./repeats.ts";

/** Returns the name of the section about timed visits that belongs to another section. */
export function timedName(name: string): string {
  return `timed ${name}`;
}

/**
 * Returns all sections of a month's rollup and of that of its days, if those of no other list tell them. An id may be in
 * several entries of a part.
 */
export function timedRollupSections(of: RollupOf, month: Rollup, days: () => Rollup): Section[] {
  const whole = sorted(month);
  const byDay = isInChannelDays(of) ? undefined : sorted(days());
  return [
    ...rollupSections(of, whole, byDay),
    timedSection(sumsName(of), whole),
    ...(byDay ? [timedSection(daysName(of), byDay)] : []),
  ];
}

/** Returns the section about the timed visits of another one, whose rollup has these. */
export function timedSection(name: string, rollup: Rollup): Section {
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

export function columnsOf(outside: Outside | undefined): Column[] {
  return outside === undefined ? [] : [outside.pageviews, outside.totalMs];
}

function outsideOf([pageviews, totalMs]: readonly Column[]): Outside | undefined {
  if (pageviews === undefined || totalMs === undefined) return undefined;
  return { pageviews: pageviews as Uint32Array, totalMs: Float64Array.from(totalMs) };
}
