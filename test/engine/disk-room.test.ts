/** Room on the disk that work of one time needs: hits are not refused for it, and it waits where there is none. */
import { expect, test } from "bun:test";
import { DiskError } from "../../src/lib/disk/disk.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { TestClock } from "../support/clock.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { imported, load } from "../support/records.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const nowMs = Date.UTC(2026, 6, 15);
const importedRows = 20_000;
/** More than what hits need, and less than a merge does. */
const littleBytes = 300_000;

const mergeable = (engine: RunningEngine) =>
  engine
    .site(1)!
    .chunks.values()
    .filter(({ monthMs }) => monthMs === Date.UTC(2026, 1))
    .toArray().length;
const takes = async (engine: RunningEngine, beacon: string) => {
  // The disk is known to be full after a batch.
  for (const part of ["a", "b"]) await engine.commit(load(`${beacon}${part}`, { timeMs: nowMs }));
};

/** An engine that has two chunks of February in files of their own, which its next checkpoint merges. */
async function beforeMerge(disk: MemoryDisk, io = memoryIo(disk)): Promise<RunningEngine> {
  const engine = await openInMemory(disk, { clock: new TestClock(nowMs), io });
  await addWebsites(engine, "a.example");
  for (let part = 0; part < 2; part++) {
    const times = Array.from({ length: importedRows }, (_, at) => Date.UTC(2026, 1, 2 + part) + at * 1_000);
    const position = { file: `${part}.log`, fromPosition: 0, position: importedRows };
    await engine.commit(imported(times, { timeMs: nowMs, ...position }));
    await engine.purge();
  }
  expect(mergeable(engine)).toBe(2);
  return engine;
}

test("chunks are merged where there is room for it, and hits are taken while there is none", async () => {
  const disk = new MemoryDisk();
  const engine = await beforeMerge(disk);
  disk.free = Math.ceil(engine["room"]["needed"]) + littleBytes;
  for (const round of ["first", "second"]) {
    await engine.purge();
    expect(mergeable(engine)).toBe(2);
    await takes(engine, round);
  }
  disk.free = 1_000_000_000;
  await engine.purge();
  expect(mergeable(engine)).toBe(1);
  engine.check();
  await engine.stop();
});

test("a checkpoint that failed leaves no more to be kept free than hits need", async () => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  let isFull = false;
  const engine = await beforeMerge(disk, {
    ...io,
    writeCheckpoint: (...given) =>
      isFull
        ? Promise.reject(new DiskError("write", "/data/chunks", "ENOSPC"))
        : io.writeCheckpoint(...given),
  });
  const needed = Math.ceil(engine["room"]["needed"]);
  await takes(engine, "before");
  isFull = true;
  await engine.purge().catch(() => {});
  disk.free = needed + littleBytes;
  await takes(engine, "failed");
  isFull = false;
  await engine.purge();
  await takes(engine, "saved");
  await engine.stop();
});

test("a checkpoint that merged chunks leaves no more to be kept free than hits need", async () => {
  const disk = new MemoryDisk();
  const engine = await beforeMerge(disk);
  const needed = Math.ceil(engine["room"]["needed"]);
  await engine.purge();
  expect(mergeable(engine)).toBe(1);
  disk.free = needed + littleBytes;
  await takes(engine, "merged");
  await engine.stop();
});

test("a checkpoint that failed is tried again a minute later, where the log that it frees is what hits lack", async () => {
  const disk = new MemoryDisk();
  const clock = new TestClock(nowMs);
  const io = memoryIo(disk);
  let attempts = 0;
  let isFull = false;
  const engine = await openInMemory(disk, {
    clock,
    io: {
      ...io,
      writeCheckpoint: (...given) => {
        attempts++;
        const error = new DiskError("write", "/data/chunks", "ENOSPC");
        return isFull ? Promise.reject(error) : io.writeCheckpoint(...given);
      },
    },
  });
  await addWebsites(engine, "a.example");
  await engine.purge();
  for (let batch = 0; batch < 10; batch++)
    await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => engine.commit(load(`b${batch} ${at}`, { timeMs: nowMs }))),
    );
  isFull = true;
  await engine["checkpointer"].make().catch(() => {});
  const free = Math.ceil(engine["room"]["needed"]) - 100_000;
  disk.free = free;
  await engine.commit(load("last", { timeMs: nowMs }));
  isFull = false;
  attempts = 0;
  const refused = async () => {
    await expect(engine.commit(load("refused", { timeMs: nowMs }))).rejects.toThrow(
      "the disk is nearly full",
    );
    await engine["checkpointer"].between(async () => {});
  };
  for (let round = 0; round < 3; round++) await refused();
  clock.advance(59_000);
  await refused();
  expect(attempts).toBe(0);
  clock.advance(1_000);
  await refused();
  expect(attempts).toBe(1);
  expect(disk.free).toBe(free);
  expect(await engine.commit(load("taken", { timeMs: nowMs }))).toBe("done");
  await engine.stop();
});

test("records that a checkpoint under way saves are no reason for another, however scarce the disk is", async () => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const engine = await openInMemory(disk, {
    clock: new TestClock(nowMs),
    io: { ...io, writeCheckpoint: (...given) => written.then(() => io.writeCheckpoint(...given)) },
  });
  await addWebsites(engine, "a.example");
  await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => engine.commit(load(`${at}`, { timeMs: nowMs }))),
  );
  const checkpointer = engine["checkpointer"];
  const purged = engine.purge();
  await until(() => checkpointer["attempted"].seq > 1_000, "the checkpoint is written");
  expect(checkpointer.soon(1_000)).toBe(false);
  write();
  await purged;
  await engine.stop();
});
