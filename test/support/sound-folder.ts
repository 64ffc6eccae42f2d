/**
 * A data folder with a file of every kind: two checkpoints with a log after each, finished months with facts, chunks
 * that still change with a file of their changes, and runs of beacons.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { dayMs } from "../../src/core/hit.ts";
import { dumpLines } from "../../src/engine/dump.ts";
import { loadMoment, readLogAfter } from "../../src/engine/pinned-files.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { isManifest } from "../../src/snapshot/manifest.ts";
import { userAdded, websiteAdded } from "./account-records.ts";
import { seededRandom, TestClock } from "./clock.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { openInMemory } from "./memory-engine.ts";
import { imported, load, noonMs, unload, valuesOf } from "./records.ts";
import { until } from "./until.ts";

/** All files of a folder, by their path below it, without those of the process that runs on it. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== "LOCK");
  return files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort();
}

const checkpointRecords = 100;

/** Page views of each website in its finished months, two of the first one, and of the current month. */
export const rowsOf = { finished: 300, current: 60 } as const;

/** Makes such a folder at `path`. Another `seed` gives a folder with the same names of files and another id. */
export async function makeSoundFolder(path: string, seed = 7): Promise<void> {
  for (const [file, bytes] of (await soundDisk(seed)).files) {
    const target = join(path, relative("/data", file));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
  }
  // As a server that was killed leaves it.
  writeFileSync(join(path, "LOCK"), String(process.pid));
}

/** The same as `/data` of a disk in memory, as a power cut leaves it. */
export async function soundDisk(seed = 7): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk, {
    clock: new TestClock(noonMs),
    random: seededRandom(seed),
    smallRows: 100,
    checkpointRecords,
    fileMinimums: { beaconRunMin: 20, openRowsMin: 20, basedRowsMin: 20 },
  });
  const has = (count: number, matches: (name: string) => boolean) => () =>
    [...disk.files.keys()].filter(matches).length >= count;
  await engine.commit(userAdded(1, "ada"));
  for (const websiteId of [1, 2]) {
    await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
    for (const ago of websiteId === 1 ? [80, 45] : [45]) {
      const times = Array.from({ length: rowsOf.finished }, (_, at) => noonMs - ago * dayMs + at * 60_000);
      await engine.commit({ ...imported(times, { websiteId }), file: `${websiteId}-${ago}.log` });
      await engine.purge();
    }
    for (let at = 0; at < rowsOf.current; at++)
      await engine.commit(load(`${websiteId}-${at}`, { websiteId, values: valuesOf(`/now/${at % 9}`) }));
  }
  await engine.purge();
  await until(
    has(3, (name) => name.endsWith(".facts")),
    "the finished months have facts",
  );
  // These records make one more checkpoint, and no third one.
  for (let at = 0; at < checkpointRecords; at++)
    await engine.commit(unload(`2-${at % rowsOf.current}`, { websiteId: 2, visibleMs: 1_000 + at }));
  await until(
    has(2, (path) => isManifest(relative("/data", path))),
    "the second checkpoint is there",
  );
  for (let at = 0; at < 20; at++)
    await engine.commit(load(`later-${at}`, { values: valuesOf(`/later/${at}`) }));
  const files = disk.clone();
  await engine.stop();
  return files;
}

/** The state of a folder as lines: of its newest checkpoint, or the oldest one, and the log up to a record. */
export function dumpOf(folder: string, upToSeq = Infinity): string[] {
  const manifests = systemDisk.list(folder).filter(isManifest);
  const manifest = upToSeq === Infinity ? manifests.at(-1) : manifests[0];
  const { state, ...loaded } = loadMoment(systemDisk, folder, { manifest: manifest as string });
  readLogAfter(systemDisk, folder, loaded.manifest, (record, seq) => {
    if (seq <= upToSeq) state.apply(record);
  });
  return [...dumpLines(state)];
}
