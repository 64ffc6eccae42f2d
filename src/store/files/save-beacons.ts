/**
 * Beacons as sections of a checkpoint and back: the generations, the names of their runs, and the entries too few for a
 * run of their own. The ids of events are saved in the same form.
 */
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import type { BeaconRun } from "../beacons/beacon-run.ts";
import {
  beaconColumnNames,
  beaconColumnsOf,
  BeaconTable,
  type BeaconColumns,
} from "../beacons/beacon-table.ts";
import { Beacons, Generation } from "../beacons/beacons.ts";
import { EventIds } from "../state/event-ids.ts";
import { copied, json, viewedWords, type Sections } from "../../snapshot/named-sections.ts";

/** The name of a run and the number of its entries. */
export type SavedRun = readonly [name: string, count: number];

const idPrefix = "event-ids";

export interface SavedGeneration {
  readonly sinceMs: number;
  readonly runs: readonly SavedRun[];
  /** The entries that are in no run. */
  readonly recent: BeaconColumns;
}

type RunNames = Readonly<Record<"young" | "old", readonly SavedRun[]>>;

/** `prefix`: what the names of the sections begin with. */
export function saveBeacons(young: SavedGeneration, old: SavedGeneration, prefix = "beacons"): Section[] {
  const runs = { young: young.runs, old: old.runs } satisfies RunNames;
  return [
    jsonSection(`${prefix}.runs`, runs),
    ...Object.entries({ young, old }).flatMap(([name, { sinceMs, recent }]) => [
      { name: `${prefix}.${name}`, data: bytesOf(Float64Array.of(sinceMs)) },
      ...columnSections(recent, `${prefix}.${name}.`),
    ]),
  ];
}

/** `run` opens the file of a run. A checkpoint without the section `beacons.runs` contains all entries itself. */
export function loadBeacons(sections: Sections, seed: bigint, run: (saved: SavedRun) => BeaconRun): Beacons {
  const runs: RunNames = sections.has("beacons.runs")
    ? (json(sections, "beacons.runs") as RunNames)
    : { young: [], old: [] };
  const generation = (name: "young" | "old") => {
    const { sinceMs, recent } = savedGeneration(sections, `beacons.${name}`);
    return new Generation(sinceMs, recent, runs[name].map(run));
  };
  return new Beacons(seed, generation("young"), generation("old"));
}

/** Event ids are in no runs: there are few of them. */
export function saveEventIds({ seen: { young, old } }: EventIds): Section[] {
  if (young.count + old.count === 0) return [];
  const saved = ({ sinceMs, recent }: Generation) => ({ sinceMs, runs: [], recent: recent.filled() });
  return saveBeacons(saved(young), saved(old), idPrefix);
}

/** A checkpoint without them has none. */
export function loadEventIds(sections: Sections): EventIds {
  const generation = (name: "young" | "old") => {
    const { sinceMs, recent } = savedGeneration(sections, `${idPrefix}.${name}`);
    return new Generation(sinceMs, recent);
  };
  return new EventIds(EventIds.table(generation("young"), generation("old")));
}

/** Returns the entries of a generation that are in no run. */
function savedGeneration(sections: Sections, name: string): Pick<Generation, "sinceMs" | "recent"> {
  if (!sections.has(name)) return new Generation(-Infinity);
  const [sinceMs] = new Float64Array(copied(sections, name));
  return { sinceMs: sinceMs as number, recent: BeaconTable.of(beaconColumns(sections, `${name}.`)) };
}

/** Returns the columns as sections, which are views of the same memory. */
export function columnSections(columns: BeaconColumns, prefix = ""): Section[] {
  return beaconColumnNames.map((name) => ({ name: prefix + name, data: settledBytesOf(columns[name]) }));
}

/** Returns views of the sections that `columnSections` returned. */
export function beaconColumns(sections: Sections, prefix = ""): BeaconColumns {
  return beaconColumnsOf((name) => viewedWords(sections, prefix + name));
}
