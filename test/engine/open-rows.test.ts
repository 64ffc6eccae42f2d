/** The bound on the memory of full chunks that hits may still change: its arithmetic, and what the real engine does. */
import { describe, expect, test } from "bun:test";
import { pageViewOpenMs } from "../../src/core/hit.ts";
import { OpenRows } from "../../src/engine/admission/open-rows.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { silentLogger } from "../../src/lib/log.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import type { Site } from "../../src/store/state/site.ts";
import { TestClock } from "../support/clock.ts";
import { hitTo } from "../support/hits.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { imported, load, noonMs } from "../support/records.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

describe("the memory of open rows", () => {
  const bytesMax = 1_000_000;
  /** Half of it is taken with some 15,600 rows, all of it with twice as many. */
  const opened = (rows: number, more: object = {}) => {
    const clock = new TestClock();
    const warnings: string[] = [];
    let asked = 0;
    const chunk = { rows, properties: 0, full: true, sealed: false, ...more };
    const open = new OpenRows({
      sites: new Map([[1, { chunks: new Map([[1, chunk]]) } as unknown as Site]]),
      bytesMax,
      clock,
      logger: { ...silentLogger, warn: (text) => warnings.push(text) },
      onFull: () => asked++,
    });
    const taken = (network: string | undefined, count: number, properties = 0) =>
      Array.from({ length: count }, () => open.isFull(network, properties, clock.nowMs())).filter((is) => !is)
        .length;
    return { taken, clock, chunk, warnings, asked: () => asked };
  };

  test("is free up to half, also of chunks that take rows or are sealed", () => {
    expect(opened(15_000).taken("192.0.2", 10_000)).toBe(10_000);
    expect(opened(90_000, { full: false }).taken("192.0.2", 10_000)).toBe(10_000);
    expect(opened(90_000, { sealed: true }).taken("192.0.2", 10_000)).toBe(10_000);
  });

  test("past half each network has a tenth of the rest a day, in bytes, but not a proxy that nobody named", () => {
    const { taken, clock } = opened(25_000);
    const share = taken("192.0.2", 10_000);
    expect(share).toBeGreaterThan(1_500);
    expect(share).toBeLessThan(2_500);
    expect(taken("198.51.100", 10_000)).toBe(share);
    expect(taken("203.0.113", 10_000, 10)).toBeLessThan(share / 5);
    expect(taken(undefined, 10_000)).toBe(10_000);
    clock.advance(86_400_000);
    expect(taken("192.0.2", 10_000)).toBe(share);
  });

  test("past all of it nobody has room; every ten minutes that is said, and a checkpoint asked for", () => {
    const { taken, clock, chunk, warnings, asked } = opened(50_000);
    expect([taken("192.0.2", 100), taken(undefined, 100)]).toEqual([0, 0]);
    expect([asked(), warnings.length]).toEqual([1, 1]);
    expect(warnings[0]).toContain("take more memory than FOOTFALL_MEMORY allows");
    clock.advance(600_000);
    expect(taken("192.0.2", 100)).toBe(0);
    expect(asked()).toBe(2);
    // It is looked at again each second.
    chunk.sealed = true;
    expect(taken("192.0.2", 1)).toBe(0);
    clock.advance(1_000);
    expect(taken("192.0.2", 1)).toBe(1);
  });
});

test("imports and tokens leave room to visitors", () => {
  const clock = new TestClock();
  const chunk = { rows: 0, properties: 0, full: true, sealed: false };
  const sites = new Map([[1, { chunks: new Map([[1, chunk]]) } as unknown as Site]]);
  const rows = new OpenRows({ sites, bytesMax: 1_000_000, clock, logger: silentLogger, onFull: () => {} });
  // The rows that an import adds count before the second for which the count holds is over, but only while it is there.
  const importRows = (count: number) => {
    if (rows.isFullForImport(count, 0)) return false;
    chunk.rows += count;
    return true;
  };
  let taken = 0;
  while (importRows(1_000)) taken += 1_000;
  expect(taken).toBeGreaterThan(14_000);
  expect(taken).toBeLessThan(17_000);
  expect(rows.isFull("192.0.2", 0, 0)).toBe(false);
  chunk.rows = 25_000;
  expect([importRows(1), rows.isFull(undefined, 0, 0), rows.isFull(undefined, 0, 0, true)]).toEqual([
    false,
    false,
    true,
  ]);
  chunk.sealed = true;
  expect(importRows(1)).toBe(true);
});

test("an import of today is refused before it shuts out visitors, and says so", async () => {
  const clock = new TestClock(noonMs);
  const engine = await openInMemory(new MemoryDisk(), { clock, memoryBytes: 12_000_000 });
  await addWebsites(engine, "a.example");
  const times = Array.from({ length: 8_192 }, (_, at) => noonMs - 8_192 + at);
  let refused: unknown;
  let records = 0;
  for (; refused === undefined && records < 40; records++)
    await engine
      .commit(imported(times, { file: `log ${records}` }))
      .catch((error: unknown) => (refused = error));
  expect(refused).toMatchObject({ code: 400, message: expect.stringContaining("FOOTFALL_MEMORY") });
  expect(records).toBeGreaterThan(8);
  clock.advance(1_000);
  for (let at = 0; at < 100; at++) {
    const answer = await hitTo(engine, { b: `b${at}`, u: "https://a.example/", p: true });
    expect(answer).toEqual({ accepted: true });
  }
  // Rows of other days take no room.
  const earlier = times.map((timeMs) => timeMs - 2 * pageViewOpenMs);
  expect(await engine.commit(imported(earlier, { file: "earlier" }))).toBe("done");
  await engine.stop();
});

async function withFullChunk(clock: TestClock, memoryBytes: number): Promise<RunningEngine> {
  const engine = await openInMemory(new MemoryDisk(), { clock, memoryBytes });
  await addWebsites(engine, "a.example");
  for (let row = 0; row < chunkRowsMax; row += 4_096)
    await Promise.all(Array.from({ length: 4_096 }, (_, at) => engine.commit(load(`b${row + at}`))));
  return engine;
}

const chunksOf = (engine: RunningEngine) => [...(engine.site(1)?.chunks.values() ?? [])];

test("a full chunk beyond the memory: page views and events are refused, unloads are not; a day later all are taken", async () => {
  const clock = new TestClock(noonMs);
  // A full chunk takes more, even when a checkpoint has it and only what may change of it counts.
  const engine = await withFullChunk(clock, 600_000);
  const hit = (body: object) => hitTo(engine, body);
  const flood = { accepted: false, reason: "flood" } as const;
  const view = (beacon: string) => hit({ b: beacon, u: "https://a.example/", p: true });
  clock.advance(1_000);
  expect(await view("one")).toEqual(flood);
  expect(await hit({ b: "b7", d: { signup: "pro" } })).toEqual(flood);
  expect(await hit({ b: "b7", m: 5_000 })).toEqual({ accepted: true });
  // The checkpoint that the first refusal asked for came too early.
  await engine.purge();
  expect(chunksOf(engine).map(({ sealed }) => sealed)).toEqual([false]);
  clock.advance(pageViewOpenMs);
  // The first refusal of ten minutes asks for a checkpoint, which seals the chunk.
  expect(await view("two")).toEqual(flood);
  await until(() => chunksOf(engine).every(({ sealed }) => sealed), "the full chunk is sealed");
  clock.advance(1_000);
  expect(await view("three")).toEqual({ accepted: true });
  expect(chunksOf(engine).map(({ sealed }) => sealed)).toEqual([true, false]);
  // An import of other months is sealed at once, and takes no room from visitors.
  const times = Array.from({ length: chunkRowsMax }, (_, at) => noonMs - 40 * 86_400_000 + at);
  await engine.commit(imported(times, { timeMs: clock.nowMs() }));
  clock.advance(1_000);
  expect(await view("four")).toEqual({ accepted: true });
  expect(engine.site(1)?.rows).toBe(2 * chunkRowsMax + 2);
  engine.check();
  await engine.stop();
});

test("past half of their memory only a proxy before this server is no network: anybody can send the header", async () => {
  const clock = new TestClock(noonMs);
  // A full chunk that a checkpoint has takes 393,216 bytes.
  const engine = await withFullChunk(clock, 1_200_000);
  await engine.purge();
  clock.advance(1_000);
  const accepted = async (address: string, network: string) => {
    const sender = { address, network, isUnnamedProxy: true };
    const hits = Array.from({ length: 1_500 }, (_, at) =>
      hitTo(engine, { b: `${address} ${at}`, u: "https://a.example/" }, sender),
    );
    return (await Promise.all(hits)).filter(({ accepted }) => accepted).length;
  };
  expect(await accepted("192.0.2.7", "192.0.2")).toBeLessThan(1_200);
  expect(await accepted("172.18.0.1", "172.18.0")).toBe(1_500);
  await engine.stop();
});
