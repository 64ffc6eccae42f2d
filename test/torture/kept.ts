/** Compares what a start finds on a disk with the ledger of the life before it: nothing lost, nothing twice, nothing back. */
import { readArchive } from "../../src/cli/backup/archive.ts";
import { FolderStore } from "../../src/cli/backup/folder.ts";
import { readStore } from "../../src/cli/backup/store.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { assert } from "../../src/lib/assert.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { load, valuesOf } from "../support/records.ts";
import { listOf } from "../support/site.ts";
import { archive, openLife, store, type Ledger } from "./life.ts";

const after = "/after";

/** The page views by path of all websites. Asserts that none has more than one. */
async function pathsIn(engine: RunningEngine): Promise<Set<string>> {
  const found = new Set<string>();
  for (const websiteId of engine.registry.websites.keys()) {
    if (engine.site(websiteId) === undefined) continue;
    const { json } = await engine.ask(websiteId, listOf("pages"));
    for (const { path, pageviews } of JSON.parse(json) as { path: string; pageviews: number }[]) {
      assert(pageviews === 1 && !found.has(path), `${path} is counted twice`);
      found.add(path);
    }
  }
  return found;
}

/**
 * Starts on the disk and asserts that it has everything that was acknowledged up to `least`, and nothing but what was
 * asked for up to `most`; then takes a hit, and stops.
 */
export async function expectKept(
  disk: MemoryDisk,
  ledger: Ledger,
  [least, most]: readonly [least: number, most: number],
): Promise<void> {
  // Rows answer in one half of the cases, facts in the other.
  const engine = await openLife(disk, least % 2 === 0 ? 2 : Infinity);
  engine.check();
  const found = await pathsIn(engine);
  const { must, may } = ledger.pathsAt(least, most);
  const lost = [...must].filter((path) => !found.has(path));
  assert(lost.length === 0, `lost: ${lost.join(" ")}`);
  const strange = [...found].filter((path) => !may.has(path) && path !== after);
  assert(strange.length === 0, `there, though never sent or removed: ${strange.join(" ")}`);
  if (engine.registry.websites.has(1) && !found.has(after)) {
    const taken = await engine.commit(load("after", { values: valuesOf(after) }));
    assert(taken === "done", `the next hit is ${taken}`);
  }
  await engine.stop();
}

/** Asserts that a backup, if one was complete at the moment, is whole and has what it promised. */
export async function expectBackup(disk: MemoryDisk, ledger: Ledger, now: number, kind: "archive" | "store") {
  const beganAt = ledger.backupBefore(now);
  if (beganAt === undefined) return;
  const restored = new MemoryDisk();
  const put = (name: string, bytes: Uint8Array) => restored.put(`/data/${name}`, bytes);
  if (kind === "store") await readStore(new FolderStore(store, disk), put);
  else await readArchive(new Blob([disk.read(archive).slice()]).stream(), put);
  await expectKept(restored, ledger, [beganAt, now]);
}
