/**
 * The engine against a disk that loses power, or fails, at every single call: what was acknowledged is there
 * afterwards, what is there was sent, and the state is the one that the surviving log says.
 */
import { describe, expect, test } from "bun:test";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { rowFlag } from "../../src/store/columns/chunk.ts";
import { MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { randomFrom } from "../support/random.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { seed } from "../support/seed.ts";

function open(disk: MemoryDisk, powerOff?: () => void): Promise<RunningEngine> {
  return openInMemory(disk, {
    io: memoryIo(disk, powerOff),
    checkpointRecords: 12,
    fileMinimums: { beaconRunMin: 2, openRowsMin: 3 },
  });
}

/** Two websites, then page views with distinct paths, some with time and events; a website that goes again. */
const setUp: readonly LogRecord[] = [
  { kind: "userAdded", timeMs: noonMs, userId: 1, username: "ada", passwordHash: "hash", firstOnly: true },
  { kind: "websiteAdded", timeMs: noonMs, websiteId: 1, userId: 1, hostname: "a.example" },
  { kind: "websiteAdded", timeMs: noonMs, websiteId: 2, userId: 1, hostname: "b.example" },
];
const traffic: readonly LogRecord[] = Array.from({ length: 10 }, (_, at): LogRecord[] => [
  load(`b${at}`, { timeMs: noonMs + at, values: valuesOf(`/page/${at}`), properties: [["at", String(at)]] }),
  unload(`b${at}`, { timeMs: noonMs + at, visibleMs: 1_000 + at }),
  event(`b${at + 1}`, { timeMs: noonMs + at, values: valuesOf("/early") }),
]).flat();
const removal: LogRecord = { kind: "websiteRemoved", timeMs: noonMs + 50, websiteId: 2 };

interface Run {
  readonly acknowledged: LogRecord[];
  readonly sent: LogRecord[];
}

/** Sends everything, three records at a time; what must be there for the rest is sent until it is. */
async function drive(engine: RunningEngine, run: Run): Promise<void> {
  const commit = async (record: LogRecord) => {
    run.sent.push(record);
    if ((await engine.commit(record)) === "done") run.acknowledged.push(record);
  };
  for (const record of setUp) while (!run.acknowledged.includes(record)) await commit(record).catch(() => {});
  for (let at = 0; at < traffic.length; at += 3)
    await Promise.allSettled(traffic.slice(at, at + 3).map(commit));
  await commit(removal).catch(() => {});
  await engine.purge().catch(() => {});
}

/** Drives a folder until all is sent or the power is cut. */
async function driveUntilPowerCut(disk: MemoryDisk): Promise<Run> {
  const run: Run = { acknowledged: [], sent: [] };
  const power = Promise.withResolvers<void>();
  const driven = open(disk, power.resolve).then((engine) => drive(engine, run));
  await Promise.race([power.promise, driven]).catch((error: unknown) => {
    if (!(error instanceof PowerCut)) throw error;
  });
  return run;
}

/** Paths of the page views of website 1 with their durations, as the engine has them. */
function pageViews(engine: RunningEngine): Map<string, number | null> {
  const found = new Map<string, number | null>();
  const site = engine.site(1);
  for (const chunk of site?.chunks.values() ?? [])
    for (let row = 0; row < chunk.rows; row++) {
      const flags = chunk.flags[row] as number;
      if (flags & rowFlag.bare) continue;
      const path = site?.dictionaries[0]?.value(chunk.ids.path.values[row] as number) as string;
      expect(found.has(path)).toBeFalse();
      found.set(path, flags & rowFlag.timed ? (chunk.duration[row] as number) : null);
    }
  return found;
}

async function expectRecovered(disk: MemoryDisk, { acknowledged, sent }: Run): Promise<void> {
  const engine = await open(disk);
  engine.check();
  const views = pageViews(engine);
  const sentPaths = new Set(sent.flatMap((record) => (record.kind === "load" ? [record.values[0]] : [])));
  for (const path of views.keys()) expect(sentPaths).toContain(path);
  for (const record of acknowledged) {
    if (record.kind === "load") expect([...views.keys()]).toContain(record.values[0] as string);
    if (record.kind === "unload") expect(views.get(`/page/${record.beacon.slice(1)}`)).toBe(record.visibleMs);
    if (record.kind === "websiteAdded" && !sent.includes(removal))
      expect(engine.registry.websites.has(record.websiteId)).toBeTrue();
    if (record.kind === "websiteRemoved") expect(engine.registry.websites.has(2)).toBeFalse();
  }
  if (engine.registry.websites.has(1))
    expect(await engine.commit(load("after", { values: valuesOf("/after") }))).toBe("done");
  await engine.stop();
}

/** How many calls an undisturbed run makes. */
async function callsOfARun(): Promise<number> {
  const disk = new MemoryDisk();
  const run = await driveUntilPowerCut(disk);
  expect(run.acknowledged).toHaveLength(setUp.length + traffic.length + 1);
  const { calls } = disk;
  await expectRecovered(disk.crash(randomFrom(1)), run);
  return calls;
}

describe("a data folder", () => {
  test("survives a power cut at every disk call", async () => {
    const random = randomFrom(seed());
    const calls = await callsOfARun();
    expect(calls).toBeGreaterThan(100);
    for (let cut = 1; cut <= calls; cut++) {
      const disk = new MemoryDisk();
      disk.cutPowerAt(cut);
      const run = await driveUntilPowerCut(disk);
      await expectRecovered(disk.crash(random), run);
    }
  });

  test("survives a disk that is full from any call on, for a while, and goes on", async () => {
    const random = randomFrom(seed());
    const calls = await callsOfARun();
    for (let call = 1; call <= calls; call++) {
      const disk = new MemoryDisk();
      const run: Run = { acknowledged: [], sent: [] };
      const engine = await open(disk);
      disk.fillAt(call, 1 + Math.floor(random() * 60));
      await drive(engine, run);
      engine.check();
      // There is room again: what came last is in a checkpoint of its own.
      disk.fillAt(Infinity, 0);
      const last = load("last", { values: valuesOf("/last") });
      run.sent.push(last);
      if ((await engine.commit(last)) === "done") run.acknowledged.push(last);
      await engine.purge();
      await engine.stop();
      await expectRecovered(disk.crash(random), run);
    }
  });

  test.each(["EIO", "ENOSPC"])("survives %s at every disk call, and goes on", async (code) => {
    const calls = await callsOfARun();
    for (let call = 1; call <= calls; call++) {
      const disk = new MemoryDisk();
      disk.failAt({ call, code, writtenBytes: 7 });
      const run: Run = { acknowledged: [], sent: [] };
      const engine = await open(disk).catch(() => undefined);
      if (engine !== undefined) {
        await drive(engine, run);
        expect(run.acknowledged.length).toBeGreaterThanOrEqual(setUp.length + traffic.length + 1 - 3);
        engine.check();
        await engine.stop();
      }
      await expectRecovered(disk.crash(randomFrom(call)), run);
    }
  });
});
