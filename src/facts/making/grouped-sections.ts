/**
 * The visits by label as sections, which are there if a part of the rollup has two values with one label:
 *
 *   groups L U           := entries u32, 0 u32, firsts u32*
 *   visits by groups L U := entries u32, 0 u32, distinctVisits u32*, timedVisits u32*
 */
import type { Section } from "../../snapshot/section.ts";
import type { Unit } from "../entries.ts";
import type { GroupedVisits, LabelKind } from "../grouped-visits.ts";
import { Arrays, roomOf } from "./arrays.ts";

/** The name is part of that of the visits by these groups. */
export function groupsName(by: LabelKind, unit: Unit): string {
  return `groups ${by} ${unit}`;
}

export function groupedName(by: LabelKind, unit: Unit): string {
  return `visits by ${groupsName(by, unit)}`;
}

export function groupsIn(data: Uint8Array): Uint32Array {
  const arrays = new Arrays(data);
  return arrays.words(arrays.sizes[0]);
}

export function groupedVisitsIn(data: Uint8Array): Omit<GroupedVisits, "firsts"> {
  const arrays = new Arrays(data);
  const [entries] = arrays.sizes;
  return { distinctVisits: arrays.words(entries), timedVisits: arrays.words(entries) };
}

export function groupedSections(
  by: LabelKind,
  unit: Unit,
  { firsts, distinctVisits, timedVisits }: GroupedVisits,
): Section[] {
  const { length } = firsts;
  const groups = roomOf(4 * length, length, 0);
  groupsIn(groups).set(firsts);
  const visits = roomOf(8 * length, length, 0);
  const room = groupedVisitsIn(visits);
  room.distinctVisits.set(distinctVisits);
  room.timedVisits.set(timedVisits);
  return [
    { name: groupsName(by, unit), data: groups },
    { name: groupedName(by, unit), data: visits },
  ];
}
