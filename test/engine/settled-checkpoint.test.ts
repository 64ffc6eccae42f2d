/**
 * Trouble after a checkpoint is durable, while memory takes over its files: the checkpoint counts, or it was never there. An
 * engine with chunks and beacons in files, on a disk in memory.
 */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { EngineIo } from "../../src/engine/checkpoint/io.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { dumpOf } from "../support/dump.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { imported, load, noonMs } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

const fileMinimums = { beaconRunMin: 10, openRowsMin: 1, basedRowsMin: 1 };

/** A disk that has no room for a mapping of such a file, which the system says without a code. */
class CrampedDisk extends MemoryDisk {
  cramped: RegExp | undefined;

  override map(path: string): Uint8Array {
    if (this.cramped?.test(path)) throw new Error("no mapping");
    return super.map(path);
  }
}

async function take(engine: RunningEngine, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++)
    for (const websiteId of [1, 2])
      await engine.commit(load(`${websiteId}-${at}`, { websiteId, timeMs: noonMs + at }));
}

const rowsOf = (engine: RunningEngine, websiteId: number) =>
  engine
    .site(websiteId)!
    .chunks.values()
    .reduce((sum, { rows }) => sum + rows, 0);

test.each([
  ["a chunk", /chunks\/1\/.*\.chunk$/, /warn .*was not mapped.*no mapping/],
  ["beacons", /\.beacons$/, /error a checkpoint failed.*no mapping/],
])("where the file of %s cannot be mapped, nothing is lost", async (_, cramped, said) => {
  const disk = new CrampedDisk();
  const { lines, logger } = linesOf();
  const engine = await openInMemory(disk, { fileMinimums, logger });
  await addWebsites(engine, "1.example", "2.example");
  await take(engine, 0, 20);
  await engine["checkpointer"].make();
  await take(engine, 20, 40);
  disk.cramped = cramped;
  await engine.purge().catch(() => {});
  disk.cramped = undefined;
  expect(lines.join()).toMatch(said);
  for (let round = 0; round < 2; round++) {
    await take(engine, 40 + round, 41 + round);
    await engine["checkpointer"].make();
  }
  expect(
    engine
      .site(1)!
      .chunks.values()
      .every(({ basis }) => basis !== undefined),
  ).toBe(true);
  // As after a crash.
  const after = disk.clone();
  dumpOf(after);
  const again = await openInMemory(after, { fileMinimums });
  for (const websiteId of [1, 2]) expect(rowsOf(again, websiteId)).toBe(42);
  again.check();
  await again.stop();
  await engine.stop();
});

test("chunks whose month is dropped while a checkpoint merges them stay away, and the checkpoint counts", async () => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  let merges = 0;
  const writeCheckpoint: EngineIo["writeCheckpoint"] = async (folder, checkpoint) => {
    const manifest = await io.writeCheckpoint(folder, checkpoint);
    const isMerging = checkpoint.files.some((file) => "plan" in file && file.plan.parts.length > 1);
    // As a node of a cluster that follows applies it, whatever checkpoint is under way.
    const dropped = { timeMs: noonMs, beforeMs: Date.UTC(2026, 2), deadPercent: 100 };
    if (isMerging && merges++ === 0) engine["state"].store.apply({ kind: "monthsDropped", ...dropped });
    return manifest;
  };
  const { lines, logger } = linesOf();
  const engine = await openInMemory(disk, { logger, io: { ...io, writeCheckpoint } });
  await addWebsites(engine, "a.example");
  await engine.commit(load("now"));
  for (let part = 0; part < 5 && merges === 0; part++) {
    const position = { file: `${part}.log`, fromPosition: 0, position: 5 };
    const times = Array.from({ length: 5 }, (_, at) => noonMs - 60 * dayMs + at);
    await engine.commit(imported(times, position));
    await engine.purge();
  }
  expect(merges).toBe(1);
  expect(lines).toEqual([]);
  expect(rowsOf(engine, 1)).toBe(1);
  await engine.purge();
  engine.check();
  expect(dumpOf(disk.clone()).join()).not.toContain("2026-01");
  await engine.stop();
});
