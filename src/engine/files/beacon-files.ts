/**
 * Assigns beacons to files. When there are enough entries for a run they go into a file of their own, which every later
 * checkpoint names again; fewer are kept in the checkpoint's own file. A start only compares the runs with their
 * checksums: they are mapped before the first hit.
 */
import { expectContent } from "../../lib/decoding.ts";
import { once } from "../../lib/lazy.ts";
import { numbered, type FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import type { Section } from "../../snapshot/section.ts";
import { BeaconRun, viewRun } from "../../store/beacons/beacon-run.ts";
import { BeaconTable } from "../../store/beacons/beacon-table.ts";
import type { Beacons, Generation } from "../../store/beacons/beacons.ts";
import {
  columnSections,
  loadBeacons,
  saveBeacons,
  type SavedGeneration,
  type SavedRun,
} from "../../store/files/save-beacons.ts";
import type { Sections } from "../../snapshot/named-sections.ts";
import type { PlannedRun } from "./planned-checkpoint.ts";

const noBeacons = new BeaconTable(0).filled();

/** The older generation, which gets no more entries, has its last ones in a run from this share of the others' size on. */
const oldShare = 1 / 32;

/** The entries of a generation that will become a run. */
interface CollectedRun {
  readonly generation: Generation;
  readonly name: string;
  readonly count: number;
}

export interface CollectedBeacons {
  readonly sections: readonly Section[];
  readonly files: readonly (FileEntry | PlannedRun)[];
  readonly runs: readonly CollectedRun[];
}

export class BeaconFiles {
  constructor(
    private readonly beacons: Beacons,
    private readonly mapped: MappedFiles,
    private readonly entriesMin: number,
  ) {}

  /** `entries`: the files of the checkpoint, by name. */
  static load(
    sections: Sections,
    seed: bigint,
    mapped: MappedFiles,
    entries: ReadonlyMap<string, FileEntry>,
  ): Beacons {
    return loadBeacons(sections, seed, (saved) => runOf(saved, mapped, entries));
  }

  /** Collects the beacons to write. `entries`: the files of the last checkpoint, by name. */
  collect(seq: number, entries: ReadonlyMap<string, FileEntry>): CollectedBeacons {
    const files: (FileEntry | PlannedRun)[] = [];
    const collected: CollectedRun[] = [];
    const save = (generation: Generation, number: number, entriesMin: number): SavedGeneration => {
      const { sinceMs, recent } = generation;
      const runs: SavedRun[] = generation.runs.map(({ name, count }) => [name, count]);
      for (const [name] of runs) files.push(entries.get(name) as FileEntry);
      if (recent.count < entriesMin) return { sinceMs, runs, recent: recent.filled() };
      const name = `beacons/${numbered(seq)}-${number}.beacons`;
      files.push({ name, mapped: true, beacons: columnSections(recent.filled()) });
      collected.push({ generation, name, count: recent.count });
      return { sinceMs, runs: [...runs, [name, recent.count]], recent: noBeacons };
    };
    const { young, old } = this.beacons;
    const sections = saveBeacons(
      save(young, 1, this.entriesMin),
      save(old, 2, Math.ceil(this.entriesMin * oldShare)),
    );
    return { sections, files, runs: collected };
  }

  /**
   * Takes over the runs that a durable checkpoint has written. They are read at once, because a hit that is in the log
   * cannot wait for a file that cannot be read. Throws SnapshotDamage or DiskError; nothing has changed then.
   */
  settle({ runs }: CollectedBeacons, entries: ReadonlyMap<string, FileEntry>): void {
    const stored = runs.map(({ generation, name, count }) => {
      const run = runOf([name, count], this.mapped, entries);
      run.read();
      return { generation, run };
    });
    for (const { generation, run } of stored) this.beacons.store(generation, run);
  }
}

function runOf(
  [name, count]: SavedRun,
  mapped: MappedFiles,
  entries: ReadonlyMap<string, FileEntry>,
): BeaconRun {
  const entry = entries.get(name);
  expectContent(entry !== undefined, `the manifest does not name ${name}`);
  return new BeaconRun(
    name,
    count,
    once(() => viewRun(mapped.kept(entry))),
  );
}
