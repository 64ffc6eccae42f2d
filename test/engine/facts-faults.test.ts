/** Facts on a disk that fails at one of its calls: an answer is right, or there is none. */
import { expect, test } from "bun:test";
import type { Question } from "../../src/core/questions/query.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import { makeFacts, type FactsJob, type MadeFacts } from "../../src/facts/making/job.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { TestClock } from "../support/clock.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { imported, load, unload, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { everything, listOf } from "../support/site.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const faults = rounds(8);

const monthMs = Date.UTC(2026, 1, 5);
const nowMs = Date.UTC(2026, 3, 2);
const questions: readonly Question[] = [
  listOf("browsers"),
  { ...everything, list: "time", summary: false },
  { ...everything, list: "summary", previous: false, timezone: "UTC", interval: "day", nowMs },
];

function open(disk: MemoryDisk, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openInMemory(disk, { clock: new TestClock(nowMs), smallRows: 0, ...more });
}

/** Sealed chunks of a month that is over, in their files. */
async function filled(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  const engine = await open(disk);
  await addWebsites(engine, "a.example");
  for (let at = 0; at < 120; at++) {
    const timeMs = monthMs + at * 1_000;
    await engine.commit(load(`${at}`, { timeMs, values: valuesOf(`/${at % 20}`) }));
    if (at % 3 === 0) await engine.commit(unload(`${at}`, { timeMs, visibleMs: at * 100 }));
  }
  const times = Array.from({ length: chunkRowsMax }, (_, at) => monthMs + 120_000 + at);
  for (const [from, to] of [
    [0, 40_000],
    [40_000, chunkRowsMax],
  ] as const) {
    const position = { fromPosition: from, position: to };
    await engine.commit(imported(times.slice(from, to), { timeMs: nowMs, ...position }));
  }
  await engine.commit(load("now", { timeMs: nowMs, values: valuesOf("/april") }));
  await engine.stop();
  // The first start seals; without their facts they are as an earlier version left them.
  await (await open(disk)).stop();
  for (const path of factsOn(disk)) disk.remove(path);
  return disk;
}

async function answers(engine: RunningEngine): Promise<(string | undefined)[]> {
  const found: (string | undefined)[] = [];
  for (const question of questions) {
    const answer = await engine.ask(1, question).catch(() => undefined);
    found.push(answer?.json);
  }
  return found;
}

/** Until nothing more is made. */
async function settled(disk: MemoryDisk): Promise<void> {
  // Sums may be added up for some time between two calls, on a busy machine for longer.
  for (let [calls, looks] = [-1, 0]; looks < 10; await Bun.sleep(5)) {
    looks = calls === disk.history.length ? looks + 1 : 0;
    calls = disk.history.length;
  }
}

function factsOn(disk: MemoryDisk): string[] {
  return [...disk.files.keys()].filter((path) => path.endsWith(".facts"));
}

/** Waits until all questions are answered without a look at a row of the month that is over. */
async function untilMade(disk: MemoryDisk, engine: RunningEngine): Promise<void> {
  const timing = async () => (await engine.ask(1, questions[0] as Question)).timing;
  await until(async () => (await timing()).includes('"1 rows read'), "the answers come from facts");
  expect(factsOn(disk).length).toBeGreaterThan(0);
}

/** How many calls the questions, and what is made after them, take. */
async function callsOf(full: MemoryDisk): Promise<number> {
  const disk = full.clone();
  const engine = await open(disk);
  const before = disk.history.length;
  await answers(engine);
  await untilMade(disk, engine);
  await answers(engine);
  const calls = disk.history.length - before;
  await engine.stop();
  return calls;
}

test.each(["EIO", "ENOSPC"])("%s: right answers or none, and right ones afterwards", async (code) => {
  const random = randomBySeed();
  const full = await filled();
  const whole = await open(full.clone());
  const expected = await answers(whole);
  await whole.stop();
  expect(expected).not.toContain(undefined);
  const calls = await callsOf(full);
  for (let fault = 0; fault < faults; fault++) {
    const disk = full.clone();
    const engine = await open(disk);
    disk.failAt({ call: 1 + Math.floor(random() * calls), code });
    for (let time = 0; time < 2; time++) {
      const found = await answers(engine);
      found.forEach((json, at) => expect(json ?? expected[at]).toBe(expected[at] as string));
      await settled(disk);
    }
    expect(await answers(engine)).toEqual(expected);
    await engine.stop();
    // The next start makes what could not be made.
    const again = await open(disk);
    expect(await answers(again)).toEqual(expected);
    await untilMade(disk, again);
    expect(await answers(again)).toEqual(expected);
    await again.stop();
  }
});

/** Makes facts of the files as they are now; they are there, and are heard of, when `asked` resolves. */
function makeLate(disk: MemoryDisk, asked: Promise<void>) {
  return (job: FactsJob, onMade: (made: MadeFacts) => void) => {
    const before = disk.clone();
    const all = [...makeFacts(before, job, lookUps)];
    const give = (made: MadeFacts) => {
      const path = `/data/${made.chunk.name.replace(/chunk$/, "facts")}`;
      disk.put(path, before.files.get(path) as Uint8Array);
      onMade(made);
      // As of a file that was removed before it was read.
      onMade({ ...made, error: "there is no such file" });
    };
    return { done: asked.then(() => all.forEach(give)), cancel: () => {} };
  };
}

const deletions = {
  "a website": { kind: "websiteRemoved", timeMs: nowMs, websiteId: 1 },
  "its months": { kind: "monthsDropped", timeMs: nowMs, beforeMs: Date.UTC(2026, 2, 1) },
} as const;

test.each(Object.entries(deletions))(
  "%s deleted while the facts are being made: they leave the disk, and nothing is an error",
  async (_, deletion) => {
    const disk = await filled();
    const asked = Promise.withResolvers<void>();
    const { lines, logger } = linesOf();
    const io = { ...memoryIo(disk), makeFacts: makeLate(disk, asked.promise) };
    const engine = await open(disk, { io, logger });
    await engine.commit(deletion);
    await engine.purge();
    asked.resolve();
    await settled(disk);
    expect(factsOn(disk)).toEqual([]);
    expect(lines).toEqual([]);
    await engine.stop();
  },
);

test("a worker that ends before its work is done is followed by another after the next checkpoint", async () => {
  const disk = await filled();
  const whole = memoryIo(disk);
  let jobs = 0;
  const makeFacts = (...given: Parameters<typeof whole.makeFacts>) => {
    if (jobs++ > 0) return whole.makeFacts(...given);
    return {
      done: Promise.reject(new Error("the thread for precomputed sums ended unexpectedly")),
      cancel: () => {},
    };
  };
  const engine = await open(disk, { io: { ...whole, makeFacts } });
  await settled(disk);
  expect(jobs).toBe(1);
  await engine.purge();
  await untilMade(disk, engine);
  expect(jobs).toBe(2);
  await engine.stop();
});

test("a disk that is full once: nothing unfinished stays, and the next checkpoint is followed by another attempt", async () => {
  const full = await filled();
  const whole = full.clone();
  const other = await open(whole);
  const { length } = whole.history;
  await settled(whole);
  const call = whole.history.slice(length).findIndex((each) => /^write .*facts\.new$/.test(each)) + 1;
  await other.stop();
  const disk = full.clone();
  const io = memoryIo(disk);
  let jobs = 0;
  const makeFacts = (...given: Parameters<typeof io.makeFacts>) => {
    jobs++;
    return io.makeFacts(...given);
  };
  const engine = await open(disk, { io: { ...io, makeFacts } });
  disk.failAt({ call, code: "ENOSPC", writtenBytes: 10 });
  const left = factsOn(whole).length - 1;
  await until(() => factsOn(disk).length === left, "the others are made");
  await settled(disk);
  expect([jobs, factsOn(disk).length]).toEqual([1, factsOn(whole).length - 1]);
  expect([...disk.files.keys()].filter((path) => path.endsWith(".new"))).toEqual([]);
  await engine.purge();
  await untilMade(disk, engine);
  expect([jobs, factsOn(disk).sort()]).toEqual([2, factsOn(whole).sort()]);
  await engine.stop();
});

test("a disk that runs short of room while facts are made gets no more of them until there is room again", async () => {
  const full = await filled();
  const whole = full.clone();
  const other = await open(whole);
  await settled(whole);
  await other.stop();
  const count = factsOn(whole).length;
  expect(count).toBeGreaterThan(1);
  const disk = full.clone();
  disk.onCall = () => {
    if (factsOn(disk).length > 0) disk.free = 2_000_000;
  };
  const { lines, logger } = linesOf("warn");
  const engine = await open(disk, { logger });
  await until(() => factsOn(disk).length > 0, "the first are made");
  await settled(disk);
  await engine.purge();
  await settled(disk);
  expect(factsOn(disk)).toHaveLength(1);
  expect(lines.filter((line) => line.includes("precomputed"))).toEqual([]);
  disk.onCall = () => {};
  disk.free = 1_000_000_000;
  await engine.purge();
  await untilMade(disk, engine);
  expect(factsOn(disk).sort()).toEqual(factsOn(whole).sort());
  await engine.stop();
});
