/**
 * Beacons as sections of a checkpoint and back: the generations, the names of their runs, and the entries too few for a
 * run of their own.
 */
import { bytesOf, jsonSection, settledBytesOf, type Section } from "../../snapshot/section.ts";
import type { BeaconRun } from "../beacons/beacon-run.ts";
import { beaconColumnNames, BeaconTable, type BeaconColumns } from "../beacons/beacon-table.ts";
import { Beacons, Generation } from "../beacons/beacons.ts";
import { copied, json, viewedWords, type Sections } from "../../snapshot/named-sections.ts";

/** The name of a run and the number of its entries. */
export type SavedRun = readonly [name: string, count: number];

export interface SavedGeneration {
  readonly sinceMs: number;
  readonly runs: readonly SavedRun[];
  /** The entries that are in no run. */
  readonly recent: BeaconColumns;
}

type RunNames = Readonly<Record<"young" | "old", readonly SavedRun[]>>;

export function saveBeacons(young: SavedGeneration, old: SavedGeneration): Section[] {
  const runs = { young: young.runs, old: old.runs } satisfies RunNames;
  return [
    jsonSection("beacons.runs", runs),
    ...Object.entries({ young, old }).flatMap(([name, { sinceMs, recent }]) => [
      { name: `beacons.${name}`, data: bytesOf(Float64Array.of(sinceMs)) },
      ...columnSections(recent, `beacons.${name}.`),
    ]),
  ];
}

/** `run` opens the file of a run. A checkpoint without the section `beacons.runs` contains all entries itself. */
export function loadBeacons(sections: Sections, seed: bigint, run: (saved: SavedRun) => BeaconRun): Beacons {
  const runs: RunNames = sections.has("beacons.runs")
    ? (json(sections, "beacons.runs") as RunNames)
    : { young: [], old: [] };
  const generation = (name: "young" | "old") => {
    if (!sections.has(`beacons.${name}`)) return new Generation(-Infinity);
    const [sinceMs] = new Float64Array(copied(sections, `beacons.${name}`));
    const recent = BeaconTable.of(beaconColumns(sections, `beacons.${name}.`));
    return new Generation(sinceMs as number, recent, runs[name].map(run));
  };
  return new Beacons(seed, generation("young"), generation("old"));
}

/** Returns the columns as sections, which are views of the same memory. */
export function columnSections(columns: BeaconColumns, prefix = ""): Section[] {
  return beaconColumnNames.map((name) => ({ name: prefix + name, data: settledBytesOf(columns[name]) }));
}

/** Returns views of the sections that `columnSections` returned. */
export function beaconColumns(sections: Sections, prefix = ""): BeaconColumns {
  const column = (name: keyof BeaconColumns) => viewedWords(sections, prefix + name);
  return {
    hashLow: column("hashLow"),
    hashHigh: column("hashHigh"),
    websiteId: column("websiteId"),
    chunkNumber: column("chunkNumber"),
    row: column("row"),
  };
}
