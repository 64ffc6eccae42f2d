/**
 * The visits by label as sections, which are there if a part of the rollup has two values with one label:
 *
 *   groups L U           := entries u32, 0 u32, firsts u32*
 *   visits by groups L U := entries u32, 0 u32, distinctVisits u32*, timedVisits u32*
 */
import type { Section } from "../../snapshot/section.ts";
import type { Unit } from "../entries.ts";
import type { GroupedVisits, LabelKind } from "../grouped-visits.ts";
import { Arrays, sectionOf } from "./arrays.ts";

/** The name is part of that of the visits by these groups. */
export function groupsName(by: LabelKind, unit: Unit): string {
  return `groups ${by} ${unit}`;
}

export function groupedName(by: LabelKind, unit: Unit): string {
  return `visits by ${groupsName(by, unit)}`;
}

export function groupsIn(data: Uint8Array): Pick<GroupedVisits, "firsts"> {
  const arrays = new Arrays(data);
  return { firsts: arrays.words(arrays.sizes[0]) };
}

export function groupedVisitsIn(data: Uint8Array): Omit<GroupedVisits, "firsts"> {
  const arrays = new Arrays(data);
  const [entries] = arrays.sizes;
  return { distinctVisits: arrays.words(entries), timedVisits: arrays.words(entries) };
}

export function groupedSections(by: LabelKind, unit: Unit, { firsts, ...visits }: GroupedVisits): Section[] {
  const sizes = [firsts.length, 0] as const;
  return [
    sectionOf(groupsName(by, unit), sizes, groupsIn, { firsts }),
    sectionOf(groupedName(by, unit), sizes, groupedVisitsIn, visits),
  ];
}
