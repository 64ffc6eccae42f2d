/** Many deletions: they wait for the same checkpoint, and none is answered before its data is in no file. */
import { afterEach, describe, expect, jest, test } from "bun:test";
import { removeWebsite } from "../../src/engine/admin/websites.ts";
import type { EngineIo } from "../../src/engine/checkpoint/io.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { load, valuesOf } from "../support/records.ts";
import { turns } from "../support/turns.ts";

const operator = { userId: 1, sessionId: "" };
const websites = 40;
const hostnames = Array.from({ length: websites }, (_, at) => `w${at}.example`);

/** How long each checkpoint takes, by the clock of the engine. */
let tookMs = 0;

interface World {
  readonly disk: MemoryDisk;
  readonly engine: RunningEngine;
  readonly lines: string[];
  /** The checkpoints that were begun. */
  written: number;
  fails: boolean;
  onWrite: () => void;
}

async function open(): Promise<World> {
  const disk = new MemoryDisk();
  const { lines, logger } = linesOf();
  const io = memoryIo(disk);
  const writeCheckpoint: EngineIo["writeCheckpoint"] = async (folder, checkpoint) => {
    world.written++;
    clock.advance(tookMs);
    world.onWrite();
    if (world.fails) throw new Error("the disk says no");
    return io.writeCheckpoint(folder, checkpoint);
  };
  const clock = new TestClock();
  const engine = await openInMemory(disk, { clock, logger, io: { ...io, writeCheckpoint } });
  const world: World = { disk, engine, lines, written: 0, fails: false, onWrite: () => {} };
  await engine.commit(userAdded(1, "ada"));
  for (const [at, hostname] of hostnames.entries()) {
    await engine.commit(websiteAdded(at + 1, hostname));
    await engine.commit(load(`b${at}`, { websiteId: at + 1, values: valuesOf(`/secret-${at}.`) }));
  }
  return world;
}

const isInFile = ({ disk }: World, text: string) =>
  disk.files.values().some((bytes) => Buffer.from(bytes).includes(text));

test("deletions that come together wait for two checkpoints at most, which have all of them", async () => {
  const world = await open();
  const { engine } = world;
  const removed = hostnames.map(async (hostname, at) => {
    await removeWebsite({ engine, caller: operator, hostname });
    expect(isInFile(world, `/secret-${at}.`)).toBe(false);
  });
  await Promise.all(removed);
  expect(world.written).toBeGreaterThan(0);
  expect(world.written).toBeLessThanOrEqual(2);
  expect(world.lines).toEqual([]);
  await engine.stop();
});

test("one that comes while a checkpoint is written waits for the next", async () => {
  const world = await open();
  const { engine } = world;
  let second: Promise<void> | undefined;
  world.onWrite = () => {
    second ??= removeWebsite({ engine, caller: operator, hostname: "w1.example" });
  };
  await removeWebsite({ engine, caller: operator, hostname: "w0.example" });
  expect(isInFile(world, "/secret-0.")).toBe(false);
  await second;
  expect(world.written).toBe(2);
  expect(isInFile(world, "/secret-1.")).toBe(false);
  await engine.stop();
});

test("where the disk fails, all hear of it, the log says it once, and the next one has everything", async () => {
  const world = await open();
  const { engine } = world;
  world.fails = true;
  const outcomes = hostnames.map((hostname) =>
    removeWebsite({ engine, caller: operator, hostname }).then(
      () => "removed",
      (error: unknown) => String(error),
    ),
  );
  for (const outcome of await Promise.all(outcomes)) expect(outcome).toContain("the server keeps trying");
  expect(world.lines).toHaveLength(world.written);
  expect(world.written).toBeLessThanOrEqual(2);
  world.fails = false;
  await engine.purge();
  for (let at = 0; at < websites; at++) expect(isInFile(world, `/secret-${at}.`)).toBe(false);
  await engine.stop();
});

describe("deletions one after the other", () => {
  afterEach(() => {
    tookMs = 0;
    jest.useRealTimers();
  });

  /** Removes the first website, and then another two in turn, which are those that are still waited for. */
  async function removedInTurn(checkpointMs: number) {
    const world = await open();
    jest.useFakeTimers();
    tookMs = checkpointMs;
    await removeWebsite({ engine: world.engine, caller: operator, hostname: "w0.example" });
    const answered: number[] = [];
    for (const at of [1, 2]) {
      void removeWebsite({ engine: world.engine, caller: operator, hostname: `w${at}.example` }).then(() =>
        answered.push(at),
      );
      await turns();
    }
    return { world, answered };
  }

  test.each([
    [100, 1_000],
    [3_000, 5_000],
  ])("have the first at once, and share the next: after one of %d ms a rest of %d", async (ms, restMs) => {
    const { world, answered } = await removedInTurn(ms);
    jest.advanceTimersByTime(restMs - 1);
    await turns();
    expect([world.written, answered]).toEqual([1, []]);
    jest.advanceTimersByTime(1);
    await turns();
    expect([world.written, answered]).toEqual([2, [1, 2]]);
    for (const at of [0, 1, 2]) expect(isInFile(world, `/secret-${at}.`)).toBe(false);
    // After a rest in which nobody deleted, the next one is a first one.
    jest.advanceTimersByTime(restMs);
    await removeWebsite({ engine: world.engine, caller: operator, hostname: "w3.example" });
    expect(world.written).toBe(3);
    await world.engine.stop();
  });

  test("do not wait where the server is about to stop, and later ones have their checkpoint at once", async () => {
    const { world, answered } = await removedInTurn(100);
    world.engine.purges.stop();
    await turns();
    expect([world.written, answered]).toEqual([2, [1, 2]]);
    await removeWebsite({ engine: world.engine, caller: operator, hostname: "w3.example" });
    expect(world.written).toBe(3);
    await world.engine.stop();
    expect(world.written).toBe(3);
  });

  test("do not wait where the server stops", async () => {
    const { world, answered } = await removedInTurn(100);
    await world.engine.stop();
    expect(answered).toEqual([1, 2]);
    expect(world.written).toBe(2);
    for (const at of [0, 1, 2]) expect(isInFile(world, `/secret-${at}.`)).toBe(false);
    jest.advanceTimersByTime(60_000);
    await turns();
    expect(world.written).toBe(2);
  });
});
