/** Pinned files stay as they are, whatever checkpoints, merges and deletions do, and are a whole folder on their own. */
import { expect, test } from "bun:test";
import { basename, dirname, join } from "node:path";
import { storedNames } from "../../src/engine/checkpoint/checkpoint-names.ts";
import { dayMs } from "../../src/core/hit.ts";
import { filesAtRest } from "../../src/engine/pinned-files.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { listFiles, readListed, type BackupList } from "../../src/snapshot/backup-list.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { imported, load, noonMs, valuesOf } from "../support/records.ts";
import { until } from "../support/until.ts";

const folder = "/data";

async function fill(engine: RunningEngine, websiteId: number): Promise<void> {
  await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
  const times = Array.from({ length: 500 }, (_, at) => noonMs - 40 * dayMs + at * 1_000);
  await engine.commit(imported(times, { websiteId }));
  for (let at = 0; at < 50; at++)
    await engine.commit(load(`${websiteId}-${at}`, { websiteId, values: valuesOf(`/${at}`) }));
}

function copy(from: MemoryDisk, list: BackupList): MemoryDisk {
  const to = new MemoryDisk();
  to.makeDirectory(join(folder, "wal"));
  for (const entry of list.files) {
    to.makeDirectory(dirname(join(folder, entry.name)));
    const file = to.create(join(folder, entry.name));
    to.write(file, readListed(from, folder, entry));
    to.close(file);
  }
  return to;
}

test("what is pinned is all that was acknowledged, and stays until it is released", async () => {
  const disk = new MemoryDisk();
  const clock = new TestClock();
  const engine = await openInMemory(disk, { clock });
  await engine.commit(userAdded(1, "ada"));
  await fill(engine, 1);
  await fill(engine, 2);
  await engine.purge();
  await engine.commit(load("last", { values: valuesOf("/last") }));
  const pinned = await engine.pinFiles();
  const list = listFiles(disk, folder, pinned, storedNames, noonMs);
  expect(list.files.some(({ name }) => name.endsWith(".chunk"))).toBe(true);
  const before = list.files.map((entry) => readListed(disk, folder, entry));

  await engine.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 2 });
  for (let round = 0; round < 4; round++) {
    clock.advance(dayMs / 2);
    await engine.commit(load(`later-${round}`, { timeMs: clock.nowMs() }));
    await engine.purge();
  }
  expect(list.files.map((entry) => readListed(disk, folder, entry))).toEqual(before);

  const copied = copy(disk, list);
  expect(filesAtRest(copied, folder)).toEqual({
    manifest: pinned.manifest,
    log: pinned.log,
    months: pinned.months,
    seq: pinned.seq,
  });
  const again = await openInMemory(copied);
  again.check();
  expect(again.site(1)?.rows).toBe(551);
  expect(again.site(2)?.rows).toBe(550);
  await again.stop();

  pinned.release();
  const isThere = (path: string) => disk.list(dirname(path)).includes(basename(path));
  const left = () => list.files.filter(({ name }) => isThere(join(folder, name)));
  await until(() => left().length < list.files.length / 2, "the files were removed");
  expect(left().some(({ name }) => /^chunks\/2\/|\.manifest$|\.wal$/.test(name))).toBe(false);
  await engine.stop();
});

test("what a stopped engine had pinned is left to the next start", async () => {
  const disk = new MemoryDisk();
  const engine = await openInMemory(disk);
  await engine.commit(userAdded(1, "ada"));
  const pinned = await engine.pinFiles();
  await engine.stop();
  const before = disk.list(folder);
  pinned.release();
  await Bun.sleep(0);
  expect(disk.list(folder)).toEqual(before);
});

test("after any call of a checkpoint that failed, the next one changes no file that is pinned", async () => {
  const made = new MemoryDisk();
  const engine = await openInMemory(made);
  await engine.commit(userAdded(1, "ada"));
  await fill(engine, 1);
  await engine.stop();
  let failed = 0;
  for (let call = 1; ; call++) {
    const disk = made.clone();
    const own = await openInMemory(disk);
    await own.commit(load("more", { values: valuesOf("/more") }));
    disk.failAt({ call, code: "EIO" });
    const isDone = await own.purge().then(
      () => true,
      () => false,
    );
    const calls = disk.calls;
    disk.failAt(undefined);
    const pinned = await own.pinFiles();
    const list = listFiles(disk, folder, pinned, storedNames, noonMs);
    const before = list.files.map((entry) => readListed(disk, folder, entry));
    await own.commit({ kind: "websiteRemoved", timeMs: noonMs, websiteId: 1 });
    await own.purge();
    expect([call, list.files.map((entry) => readListed(disk, folder, entry))]).toEqual([call, before]);
    pinned.release();
    await own.stop();
    if (isDone && calls < call) break;
    failed += Number(!isDone);
  }
  expect(failed).toBeGreaterThan(10);
});
