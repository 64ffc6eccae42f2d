/**
 * The chunks of months that are over are sorted and merged, and get other ids. An engine that makes checkpoints, drops
 * months and is started again answers as one does that has all in memory and is asked row by row.
 */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import type { EngineIo } from "../../src/engine/checkpoint/io.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { chunksToMerge } from "../../src/store/chunks/merge.ts";
import type { Site } from "../../src/store/state/site.ts";
import { TestClock } from "../support/clock.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { event, imported, load, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { everything, filter, listOf } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

const nowMs = Date.UTC(2026, 6, 15);
const filters = [filter("path", "contains", "1")];
const questions: readonly Question[] = [
  listOf("pages"),
  listOf("browsers", { filters }),
  listOf("countries", { period: { startMs: Date.UTC(2026, 2, 9), endMs: Date.UTC(2026, 4, 9) } }),
  { ...everything, list: "time", summary: false },
  { ...everything, list: "properties" },
  { ...everything, filters, list: "properties" },
  { ...everything, list: "summary", previous: false, timezone: "UTC", interval: "week", nowMs },
];

function open(disk: MemoryDisk, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openInMemory(disk, { clock: new TestClock(nowMs), ...more });
}

async function started(disk: MemoryDisk, more: Partial<OpenOptions>): Promise<RunningEngine> {
  const engine = await open(disk, more);
  await addWebsites(engine, "a.example");
  await engine.commit(load("now", { timeMs: nowMs }));
  return engine;
}

async function answers(engine: RunningEngine): Promise<string[]> {
  const found = await Promise.all(questions.map((question) => engine.ask(1, question)));
  return found.map(({ json }) => json);
}

const chunksOf = (engine: RunningEngine) => [...(engine.site(1) as Site).chunks.values()];

/** Checkpoints wait from `pause` to `resume` before they are written. */
function slowIo(disk: MemoryDisk) {
  const io = memoryIo(disk);
  let gate: PromiseWithResolvers<void> | undefined;
  const writeCheckpoint: EngineIo["writeCheckpoint"] = async (...given) => {
    await gate?.promise;
    return io.writeCheckpoint(...given);
  };
  return {
    io: { ...io, writeCheckpoint },
    pause: () => {
      gate = Promise.withResolvers();
    },
    resume: () => gate?.resolve(),
  };
}

class Records {
  private count = 0;
  /** The position in the file that is imported. */
  private position = 0;

  constructor(private readonly random: () => number) {}

  upTo(count: number): number {
    return Math.floor(this.random() * count);
  }

  /** Makes a record of one of the months from February to June. They do not come in order. */
  next(): LogRecord {
    const timeMs = Date.UTC(2026, 1 + this.upTo(5), 1 + this.upTo(27)) + this.upTo(dayMs);
    const beacon = `${this.count++}`;
    const choice = this.random();
    const values = valuesOf(`/${this.upTo(choice < 0.5 ? 10 : 5_000)}`);
    if (choice < 0.3) return load(beacon, { timeMs, values, unique: choice < 0.1 });
    if (choice < 0.4) return event(beacon, { timeMs, values, properties: [["plan", `${this.upTo(30)}`]] });
    const times = Array.from({ length: 1 + this.upTo(40) }, () => timeMs + this.upTo(dayMs));
    const fromPosition = this.position;
    this.position += times.length;
    return imported(times, { timeMs: nowMs, fromPosition, position: this.position });
  }
}

describe("months that are over", () => {
  test("have the same answers whatever became of their chunks", async () => {
    const random = randomBySeed();
    let merges = 0;
    for (let world = 0; world < rounds(4, 2); world++) {
      const records = new Records(random);
      const plain = await started(new MemoryDisk(), { smallRows: Infinity });
      let disk = new MemoryDisk();
      let engine = await started(disk, { smallRows: 0 });
      const both = async (record: LogRecord) => {
        expect(await engine.commit(record)).toBe(await plain.commit(record));
      };
      let months = 1;
      for (let step = 0; step < 25; step++) {
        for (let count = records.upTo(12); count > 0; count--) await both(records.next());
        const choice = random();
        if (choice < 0.4) await engine.purge();
        else if (choice < 0.5 && months < 5)
          await both({ kind: "monthsDropped", timeMs: nowMs, beforeMs: Date.UTC(2026, ++months) });
        else if (choice < 0.6) {
          disk.failAt({ call: 1 + records.upTo(30), code: "ENOSPC" });
          await engine.purge().catch(() => {});
          disk.failAt(undefined);
        } else if (choice < 0.7) {
          // A power cut: what was not synced is gone.
          disk = disk.clone();
          engine = await open(disk, { smallRows: 0 });
        } else if (choice < 0.8) {
          await engine.stop();
          engine = await open(disk, { smallRows: 0 });
        }
        expect(await answers(engine)).toEqual(await answers(plain));
        engine.check();
        merges += (engine.site(1) as Site).merges;
      }
      // Chunks that were left alone because the disk failed are merged after a start.
      await engine.stop();
      engine = await open(disk, { smallRows: 0 });
      // Sealed by the first, in order by the second, merged by those after it.
      for (let time = 0; time < 4; time++) await engine.purge();
      expect(chunksToMerge(chunksOf(engine), ({ resident }) => !resident, nowMs)).toEqual([]);
      expect(await answers(engine)).toEqual(await answers(plain));
      await engine.stop();
      await plain.stop();
    }
    expect(merges).toBeGreaterThan(0);
  });

  test("have few chunks however many logs were imported, and few files", async () => {
    const disk = new MemoryDisk();
    const engine = await started(disk, {});
    for (let day = 0; day < 28; day++) {
      const times = Array.from({ length: 100 }, (_, at) => Date.UTC(2026, 1, 1 + day) + at * 60_000);
      const position = { file: `day-${day}.log`, fromPosition: 0, position: 100 };
      await engine.commit(imported(times, { timeMs: nowMs, ...position }));
      await engine.purge();
    }
    const before = await answers(engine);
    await engine.purge();
    expect(await answers(engine)).toEqual(before);
    await engine.stop();
    // July has its own; in February each is less than half of the next.
    const [july, ...february] = chunksOf(engine).map(({ rows }) => rows);
    expect([july, february.toSorted((a, b) => a - b)]).toEqual([1, [400, 800, 1_600]]);
    const files = [...disk.files.keys()].filter((name) => name.endsWith(".chunk"));
    expect(files.filter((name) => name.includes("2026-02")).length).toBeLessThanOrEqual(6);
  });

  test("one whose chunk's file is damaged is not merged, and checkpoints go on", async () => {
    const disk = new MemoryDisk();
    let engine = await started(disk, {});
    for (let part = 0; part < 2; part++) {
      const position = { file: `${part}.log`, fromPosition: 0, position: 9 };
      await engine.commit(imported([Date.UTC(2026, 1, 2 + part)], { timeMs: nowMs, ...position }));
      await engine.purge();
    }
    await engine.stop();
    const parts = [...disk.files].filter(([name]) => name.includes("2026-02"));
    expect(parts.length).toBeGreaterThan(0);
    for (const [, bytes] of parts) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    const { lines, logger } = linesOf("warn");
    engine = await open(disk, { logger });
    const position = { file: "2.log", fromPosition: 0, position: 9 };
    const times = [Date.UTC(2026, 1, 5), Date.UTC(2026, 1, 5)];
    await engine.commit(imported(times, { timeMs: nowMs, ...position }));
    // The first has the new chunk in its file, the second would merge.
    await engine.purge();
    await engine.purge().catch(() => {});
    await engine.purge();
    expect(lines.filter((line) => line.includes("a checkpoint failed"))).toHaveLength(1);
    expect(lines.join()).toContain("2026-02");
    expect(await engine.commit(load("still", { timeMs: nowMs }))).toBe("done");
    await engine.stop();
    await (await open(disk)).stop();
  });

  test("dropped one after the other, and while others are merged, leave what the rest has", async () => {
    const { io, pause, resume } = slowIo(new MemoryDisk());
    const engine = await started(io.disk as MemoryDisk, { io, smallRows: 0 });
    const plain = await started(new MemoryDisk(), { smallRows: Infinity });
    const both = async (record: LogRecord) => {
      expect(await engine.commit(record)).toBe(await plain.commit(record));
    };
    const drop = (month: number) =>
      both({ kind: "monthsDropped", timeMs: nowMs, beforeMs: Date.UTC(2026, month) });
    for (let part = 0; part < 2; part++) {
      for (let month = 1; month < 6; month++) {
        const values = valuesOf(`/only/${month}`);
        await both(load(`${part} ${month}`, { timeMs: Date.UTC(2026, month, 2 + part), values }));
        const properties = [["month", `${month}`]] as const;
        await both(event(`${part} ${month}`, { timeMs: Date.UTC(2026, month, 2 + part), properties }));
      }
      await engine.purge();
    }
    await engine.purge();
    await drop(2);
    await drop(3);
    expect(await answers(engine)).toEqual(await answers(plain));
    engine.check();
    await engine.purge();
    expect(await answers(engine)).toEqual(await answers(plain));
    const position = { file: "late.log", fromPosition: 0, position: 9 };
    await both(imported([Date.UTC(2026, 4, 9)], { timeMs: nowMs, ...position }));
    await engine.purge();
    const chunks = chunksOf(engine).length;
    pause();
    const merging = engine.purge();
    await Bun.sleep(5);
    const dropped = drop(4);
    await Bun.sleep(5);
    resume();
    await Promise.all([merging, dropped]);
    expect(chunksOf(engine).length).toBeLessThan(chunks);
    expect(await answers(engine)).toEqual(await answers(plain));
    await engine.purge();
    expect(await answers(engine)).toEqual(await answers(plain));
    await engine.stop();
    const again = await open(io.disk as MemoryDisk);
    again.check();
    expect(await answers(again)).toEqual(await answers(plain));
    await again.stop();
    await plain.stop();
  });

  test("of a website that is removed while they are merged are gone", async () => {
    const disk = new MemoryDisk();
    const { io, pause, resume } = slowIo(disk);
    const engine = await started(disk, { io });
    for (let part = 0; part < 2; part++) {
      const position = { file: `${part}.log`, fromPosition: 0, position: 9 };
      await engine.commit(imported([Date.UTC(2026, 1, 2 + part)], { timeMs: nowMs, ...position }));
      await engine.purge();
    }
    pause();
    const merging = engine.purge();
    await Bun.sleep(5);
    await engine.commit({ kind: "websiteRemoved", timeMs: nowMs, websiteId: 1 });
    resume();
    await merging;
    await engine.purge();
    expect([...disk.files.keys()].filter((name) => name.endsWith(".chunk"))).toEqual([]);
    await engine.stop();
  });
});
