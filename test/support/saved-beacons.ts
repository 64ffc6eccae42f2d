/**
 * Saves and loads beacons through the bytes of a checkpoint, and returns all of their content as bytes, wherever it is.
 */
import { BeaconRun, placeOf, saveRun, viewRun } from "../../src/store/beacons/beacon-run.ts";
import { BeaconTable, type BeaconPlace } from "../../src/store/beacons/beacon-table.ts";
import type { Beacons, Generation } from "../../src/store/beacons/beacons.ts";
import { loadBeacons, saveBeacons, type SavedGeneration } from "../../src/store/files/save-beacons.ts";
import { stored } from "./stored-chunk.ts";

type Hashed = readonly [high: number, low: number, place: BeaconPlace];

/** Every entry by its hash; those of one hash in the order in which they came. */
function entriesOf({ runs, recent }: Generation): Hashed[] {
  const entries: Hashed[] = [];
  for (const run of runs) {
    const columns = run.read();
    for (let at = 0; at < run.count; at++)
      entries.push([columns.hashHigh[at] as number, columns.hashLow[at] as number, placeOf(columns, at)]);
  }
  const { hashHigh, hashLow, websiteId, chunkNumber, row } = recent.filled();
  hashHigh.forEach((high, at) =>
    entries.push([
      high,
      hashLow[at] as number,
      {
        websiteId: websiteId[at] as number,
        chunkNumber: chunkNumber[at] as number,
        row: row[at] as number,
      },
    ]),
  );
  return entries.sort(([high, low], [otherHigh, otherLow]) => high - otherHigh || low - otherLow);
}

export function dumpBeacons({ young, old }: Beacons): string {
  return JSON.stringify(
    [young, old].map((generation) => [String(generation.sinceMs), entriesOf(generation)]),
  );
}

/** The run of all entries of a table, as a file has it. */
export function runOf(name: string, table: BeaconTable): BeaconRun {
  const columns = viewRun(stored(saveRun(table.filled())));
  return new BeaconRun(name, table.count, () => columns);
}

let runsMade = 0;

/** Saved to bytes and read back, as a checkpoint and a recovery do; `isRun`: whether recent entries become a run. */
export function reloaded(beacons: Beacons, seed: bigint, isRun: (count: number) => boolean): Beacons {
  const runs = new Map<string, BeaconRun>();
  const save = ({ sinceMs, runs: before, recent }: Generation): SavedGeneration => {
    const all = isRun(recent.count) ? [...before, runOf(`run ${++runsMade}`, recent)] : before;
    for (const run of all) runs.set(run.name, run);
    return {
      sinceMs,
      runs: all.map(({ name, count }) => [name, count]),
      recent: all === before ? recent.filled() : new BeaconTable().filled(),
    };
  };
  const sections = stored(saveBeacons(save(beacons.young), save(beacons.old)));
  return loadBeacons(sections, seed, ([name]) => runs.get(name) as BeaconRun);
}
