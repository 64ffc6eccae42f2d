/**
 * One budget of memory a thread: with any bound, random questions about random websites have the answers that they
 * have without one, and what is kept between them is counted and within it. `FOOTFALL_SEED` repeats a run.
 */
import { expect, test } from "bun:test";
import { visitMsMax } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import { systemIo } from "../../src/engine/checkpoint/io.ts";
import { openEngine } from "../../src/engine/opening/open.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { QuestionPort } from "../../src/query-worker/worker-port.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { silentLogger } from "../../src/lib/log.ts";
import type { MemoryBudget } from "../../src/lib/memory/memory-budget.ts";
import { scratch, type Holder } from "../../src/lib/memory/scratch.ts";
import type { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryWorker, type QueryWorkerOptions } from "../../src/query-worker/query-worker.ts";
import { Groups } from "../../src/query/names/labels.ts";
import type { MappedFiles } from "../../src/snapshot/mapped-files.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { load, valuesOf } from "../support/records.ts";
import { Questions } from "../support/questions.ts";
import { randomFrom } from "../support/random.ts";
import { someOf } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { Traffic, trafficStartMs, websiteIds } from "../support/traffic.ts";

/** Pages enough for what is kept by page to be larger than a chunk. */
const pages = 3_000;
const records = 2_500;
const asked = 120;
/** FOOTFALL_MEMORY; the last is more than all of it takes. */
const bounds = [0, 20_000, 200_000, 1_000_000, 3_000_000, 2 ** 26] as const;

interface Opened {
  readonly engine: RunningEngine;
  /** That of the thread that answers. */
  readonly budget: () => MemoryBudget;
}

/** `large`: whether websites are, so that a query worker answers, which is in this thread here. */
async function open(folder: string, nowMs: number, large: boolean, memoryBytes: number): Promise<Opened> {
  let worker: QueryWorker | undefined;
  const openQuestionPort = (options: QueryWorkerOptions): QuestionPort => {
    const own = (worker = new QueryWorker(systemIo.disk, systemClock, options, () => {}));
    return {
      send: async (request, transfer, onReply) =>
        structuredClone(own.handle(structuredClone(request, { transfer }), onReply)),
      close: () => {},
    };
  };
  const options: OpenOptions = {
    folder,
    clock: new TestClock(nowMs),
    random: seededRandom(5),
    logger: silentLogger,
    demo: false,
    io: { ...systemIo, openQuestionPort },
    memoryBytes,
    smallRows: large ? 0 : Infinity,
  };
  const engine = await openEngine(options);
  const budget = () => (large ? (worker as QueryWorker)["memory"] : engine["options"].memory);
  return { engine, budget };
}

/** Traffic comes five times slower: its months are five times as many. */
function slowed(timeMs: number): number {
  return trafficStartMs + (timeMs - trafficStartMs) * 5;
}

/**
 * Returns a function that gives the visit of a record at a slowed time: another one for each twelve hours, because no
 * visit takes longer.
 */
function visitsOfSlowed(): <R extends { visit?: number | undefined }>(
  websiteId: number,
  record: R,
  timeMs: number,
) => R {
  const numbers = new Map<string, number>();
  return (websiteId, record, timeMs) => {
    const { visit = 0 } = record;
    if (visit === 0) return record;
    const key = `${websiteId} ${visit} ${Math.floor(timeMs / visitMsMax)}`;
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return { ...record, visit: number };
  };
}

/** Some months of two websites, which a stop seals but for the newest. Returns when they end. */
async function fill(folder: string, random: () => number): Promise<number> {
  const { engine } = await open(folder, trafficStartMs, false, Infinity);
  await engine.commit(userAdded(1, "ada"));
  for (const websiteId of websiteIds) await engine.commit(websiteAdded(websiteId, `${websiteId}.example`));
  const traffic = new Traffic(random);
  const commits: Promise<unknown>[] = [];
  const withVisit = visitsOfSlowed();
  let endMs = trafficStartMs;
  while (commits.length < records) {
    const record = traffic.next();
    if (record.kind === "monthsDropped") continue;
    const timeMs = slowed(record.timeMs);
    endMs = Math.max(endMs, timeMs);
    const loads =
      record.kind === "import" &&
      record.loads.map((each) => {
        const ownMs = slowed(each.timeMs);
        return { ...withVisit(record.websiteId, each, ownMs), timeMs: ownMs };
      });
    const own = "visit" in record ? withVisit(record.websiteId, record, timeMs) : record;
    commits.push(engine.commit({ ...own, timeMs, ...(loads && { loads }) } as LogRecord));
    const path = `/${Math.floor(random() ** 2 * pages)}`;
    commits.push(engine.commit(load(`${commits.length}`, { timeMs, values: valuesOf(path) })));
  }
  await Promise.all(commits);
  await engine.stop();
  return endMs;
}

/** About all of the time and parts of it, some of them again and again. */
function someQuestions(random: () => number, endMs: number): Question[] {
  const questions = new Questions(random, { startMs: trafficStartMs, endMs });
  const made: Question[] = [];
  while (made.length < asked) {
    const { kind, query } = questions.next();
    const again = random() < 0.3 ? made[Math.floor(random() * made.length)] : undefined;
    const own: Question = kind === "summary" ? { ...query, list: "summary", nowMs: endMs } : query;
    made.push(again ?? own);
  }
  return made;
}

function arrayBytes(values: Iterable<unknown>): number {
  let bytes = 0;
  for (const value of values) if (ArrayBuffer.isView(value)) bytes += value.byteLength;
  return bytes;
}

/** The bytes of the arrays that a cached value is made of. */
function valueBytes(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== "object" || value === null) return 0;
  const own = Object.values(value);
  const copies = own.filter((each): each is Map<string, unknown> => each instanceof Map);
  return arrayBytes(own) + copies.reduce((sum, each) => sum + arrayBytes(each.values()), 0);
}

/** The bytes of its arrays: its own, and those in an object `arrays`, in maps and in lists. */
function holderBytes(holder: Holder): number {
  const own = Object.entries(holder);
  const nested = own.find(([name]) => name === "arrays")?.[1] ?? {};
  const ofLabels =
    holder instanceof Groups ? holder.labels.slice(1).reduce((sum, label) => sum + 96 + label.length, 0) : 0;
  const collections = own
    .map(([, value]) => value)
    .filter((value) => value instanceof Map || Array.isArray(value));
  const collected = collections.reduce<number>((sum, value) => sum + arrayBytes(value.values()), 0);
  return arrayBytes(Object.values(holder)) + arrayBytes(Object.values(nested)) + collected + ofLabels;
}

/** Holds scratch to what it counts: so much is gone once it is let go. */
function checkScratch(): void {
  const holders = [...scratch["held"].keys()];
  const sum = () => holders.reduce((bytes, holder) => bytes + holderBytes(holder), 0);
  const [before, counted] = [sum(), scratch.bytes];
  scratch.clear();
  expect(before - sum()).toBe(counted);
  expect(scratch.bytes).toBe(0);
}

/** Bytes, and mapped files. */
interface Kept {
  readonly cache: number;
  readonly scratch: number;
  readonly files: number;
}

/** Between two questions. Returns what is kept. */
function check(budget: MemoryBudget): Kept {
  const { cache, mapped } = budget["parts"] as { cache: QueryCache; mapped: MappedFiles };
  const small = [...cache["small"]];
  const entries = [...cache["large"], ...small];
  expect(entries.filter(({ value, bytes }) => valueBytes(value) > bytes)).toEqual([]);
  expect(cache.bytes).toBe(entries.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(cache["smallBytes"]).toBe(small.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(cache.bytes).toBeLessThanOrEqual(cache["bytesMax"]);
  const mappings = [...mapped["mappings"].values()];
  expect(mapped.bytes).toBe(mappings.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(budget.bytes).toBe(cache.bytes + scratch.bytes + mapped.bytes);
  const alone = mappings.length === 1 ? mapped.bytes : 0;
  expect(budget.bytes - alone).toBeLessThanOrEqual(budget.bytesMax);
  return { cache: cache.bytes, scratch: scratch.bytes, files: mappings.length };
}

function larger(a: Kept, b: Kept): Kept {
  return {
    cache: Math.max(a.cache, b.cache),
    scratch: Math.max(a.scratch, b.scratch),
    files: Math.max(a.files, b.files),
  };
}

test("any bound of memory: the same answers, and no more is kept than it allows", () =>
  withFolder(async (folder) => {
    const random = randomFrom(seed());
    const endMs = await fill(folder, random);
    const questions = someQuestions(random, endMs);
    const websites = questions.map(() => (random() < 0.8 ? 1 : 2));
    const unbounded = await open(folder, endMs, true, Infinity);
    const expected: string[] = [];
    for (const [at, question] of questions.entries())
      expected.push((await unbounded.engine.ask(websites[at] as number, question)).json);
    const all = check(unbounded.budget());
    expect(all.files).toBeGreaterThan(3);
    await unbounded.engine.stop();

    for (const large of someOf([true, false])) {
      const kept: Kept[] = [];
      for (const bytes of bounds) {
        scratch.clear();
        let most: Kept = { cache: 0, scratch: 0, files: 0 };
        const { engine, budget } = await open(folder, endMs, large, bytes);
        for (const [at, question] of questions.entries()) {
          const { json } = await engine.ask(websites[at] as number, question);
          if (json !== expected[at]) console.log(`different with ${bytes}: ${JSON.stringify(question)}`);
          expect(json).toBe(expected[at] as string);
          most = larger(most, check(budget()));
          if (random() < 0.05) checkScratch();
        }
        kept.push(most);
        checkScratch();
        await engine.stop();
      }
      const [none, enough] = [kept[0], kept.at(-1)];
      expect(none).toMatchObject({ cache: 0, scratch: 0 });
      expect(none?.files).toBeLessThanOrEqual(1);
      expect(enough?.cache).toBeGreaterThan(0);
      expect(enough?.files).toBeGreaterThan(3);
      // In between there is some of each, and not all.
      const between = kept.slice(1, -1);
      expect(between.some(({ cache }) => cache > 0 && cache < (enough?.cache ?? 0))).toBe(true);
      expect(between.some(({ scratch: own }) => own > 0)).toBe(true);
      expect(between.some(({ files }) => files > 1)).toBe(true);
    }
  }));

test("nothing of a website that was removed stays in scratch", () =>
  withFolder(async (folder) => {
    const random = randomFrom(seed() + 1);
    const endMs = await fill(folder, random);
    for (const large of someOf([true, false])) {
      const { engine } = await open(folder, endMs, large, Infinity);
      const websiteId = large ? 1 : 2;
      for (const question of someQuestions(random, endMs)) await engine.ask(websiteId, question);
      expect(scratch.bytes).toBeGreaterThan(0);
      await engine.commit({ kind: "websiteRemoved", timeMs: endMs, websiteId });
      expect(scratch.bytes).toBe(0);
      await engine.stop();
    }
  }));
