/**
 * Chunks that hits may still change and whose columns are mapped from the files of checkpoints, beside an engine that has
 * them in memory: whatever comes, both are the same.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Selection } from "../../src/core/questions/query.ts";
import type { FileMinimums } from "../../src/engine/checkpoint/file-minimums.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { bytesToWrite } from "../../src/engine/files/planned-checkpoint.ts";
import type { LogRecord } from "../../src/record/record.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { memoryOf } from "../../src/store/columns/basis.ts";
import { hashesText } from "../../src/store/state/rebuilding/fold.ts";
import { TestClock } from "../support/clock.ts";
import { dumpOf } from "../support/dump.ts";
import { withFolder } from "../support/folder.ts";
import { longTest } from "../support/long-test.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { memoryIo } from "../support/memory-io.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { openFolder } from "../support/open-folder.ts";
import { event, imported, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { filter } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

const hourMs = 3_600_000;
const everything = { startMs: -Infinity, endMs: Infinity };
const inMemory: FileMinimums = { beaconRunMin: 1e9, openRowsMin: 1e9, basedRowsMin: 1e9 };
const pages = { limit: 1_000, offset: 0, summary: false, grouped: true, locale: false };

const chunksOf = (engine: RunningEngine) => [...(engine.site(1)?.chunks.values() ?? [])];
const basedIn = (engine: RunningEngine) => chunksOf(engine).filter(({ basis }) => basis !== undefined).length;

/** An engine on a disk of its own, which starts again and again. */
class Life {
  readonly disk = new MemoryDisk();
  engine!: RunningEngine;
  private readonly clock = new TestClock();

  constructor(private readonly fileMinimums: FileMinimums) {}

  async start(): Promise<void> {
    const { disk, clock, fileMinimums } = this;
    this.engine = await openInMemory(disk, { clock, fileMinimums, smallRows: 0, checkpointRecords: 1e9 });
  }

  advance(ms: number): void {
    this.clock.advance(ms);
  }

  async answers(): Promise<string[]> {
    const filters = [filter("path", "contains", "1")];
    const ask = async (list: "pages" | "properties" | "entries" | "time", more: object) =>
      (await this.engine.ask(1, { list, period: everything, filters: [], ...pages, ...more })).json;
    const answers = [];
    for (const list of ["pages", "properties", "entries", "time"] as const)
      answers.push(await ask(list, {}), await ask(list, { filters }));
    return answers;
  }
}

class Both {
  constructor(readonly lives: readonly [based: Life, other: Life]) {}

  async each<T>(act: (life: Life) => Promise<T>): Promise<void> {
    const [based, other] = [await act(this.lives[0]), await act(this.lives[1])];
    expect(based).toEqual(other);
  }

  commit(record: LogRecord): Promise<void> {
    return this.each(({ engine }) => engine.commit(record));
  }

  start(): Promise<void> {
    return this.each((life) => life.start());
  }

  async stop(): Promise<void> {
    await this.each(({ engine }) => engine.stop());
    await this.each(async ({ disk }) => dumpOf(disk));
  }
}

async function hits(both: Both, random: () => number, at: { beacon: number; timeMs: number }): Promise<void> {
  const upTo = (count: number) => Math.floor(random() * count);
  const known = () => `b${upTo(at.beacon)}`;
  for (let count = upTo(30); count > 0; count--) {
    at.timeMs += upTo(60_000);
    const { timeMs } = at;
    const kind = upTo(10);
    const properties: [string, string][] = [[`name-${upTo(4)}`, `${upTo(50)}`]];
    const number = 1 + Math.max(0, at.beacon - upTo(12));
    if (kind < 5) {
      const own = random() < 0.2 ? properties : [];
      const ofVisit = random() < 0.8 ? { visit: number } : { atMs: timeMs - upTo(hourMs) };
      const values = valuesOf(`/${upTo(90)}`);
      await both.commit(
        load(`b${at.beacon++}`, { timeMs, values, properties: own, unique: random() < 0.3, ...ofVisit }),
      );
    } else if (kind < 8) await both.commit(unload(known(), { timeMs, visibleMs: upTo(20_000) }));
    else if (kind < 9) await both.commit(event(known(), { timeMs, values: null, websiteId: 0, properties }));
    else await both.commit(event(`b${at.beacon}`, { timeMs, properties, visit: number }));
  }
}

/** Removes the page views of a path. */
function removal(timeMs: number, path: string): LogRecord {
  const having = [{ name: "path" as const, values: [path] }];
  return { kind: "rowsRemoved", timeMs, websiteId: 1, startMs: null, endMs: null, having };
}

async function live(random: () => number): Promise<number> {
  const upTo = (count: number) => Math.floor(random() * count);
  const minimums = { beaconRunMin: 1 + upTo(99), openRowsMin: 1 + upTo(20), basedRowsMin: 1 + upTo(40) };
  const both = new Both([new Life(minimums), new Life(inMemory)]);
  await both.start();
  await addWebsites(both, "a.example");
  const at = { beacon: 0, timeMs: noonMs };
  let based = 0;
  for (let step = 0; step < 40; step++) {
    await hits(both, random, at);
    const choice = random();
    if (choice < 0.5) await both.each(({ engine }) => engine.purge());
    else if (choice < 0.6) {
      await both.stop();
      await both.start();
    } else if (choice < 0.7) {
      const selection: Selection = { period: everything, filters: [filter("path", "eq", `/${upTo(90)}`)] };
      await both.each(({ engine }) => engine.removeRows(1, selection, false));
    } else if (choice < 0.75) {
      const ms = random() < 0.5 ? 25 * hourMs : 20 * 24 * hourMs;
      at.timeMs += ms;
      for (const life of both.lives) life.advance(ms);
    } else if (choice < 0.85) {
      // Nobody has the name, and every chunk gets other ids.
      const names = [{ kind: "path", hashes: hashesText([BigInt(step)]) }];
      const { timeMs } = at;
      const folded: LogRecord = { kind: "namesFolded", timeMs, websiteId: 1, names };
      // Both are applied in one turn, and no checkpoint has the first when the second comes.
      const records = random() < 0.5 ? [folded] : [folded, removal(timeMs, `/${upTo(90)}`), folded];
      await both.each(({ engine }) => Promise.all(records.map((record) => engine.commit(record))));
      await both.each((life) => life.answers());
      await both.each(({ engine }) => engine.purge());
    } else if (choice < 0.95) await both.each((life) => life.answers());
    based += basedIn(both.lives[0].engine);
    expect(basedIn(both.lives[1].engine)).toBe(0);
    for (const { engine } of both.lives) engine.check();
  }
  await both.each((life) => life.answers());
  await both.stop();
  return based;
}

test("chunks that are mapped from their files are as those in memory, whatever hits, questions, removals and starts come", async () => {
  const random = randomBySeed();
  let based = 0;
  for (let round = 0; round < rounds(12, 3); round++) based += await live(random);
  expect(based).toBeGreaterThan(0);
});

test("a chunk has one new file once hardly a hit comes for it, and then only files of changes again", async () => {
  const life = new Life({ beaconRunMin: 1e9, openRowsMin: 1, basedRowsMin: 1 });
  await life.start();
  const { engine, disk } = life;
  await addWebsites(engine, "a.example");
  for (let at = 0; at < 9; at++) await engine.commit(load(`b${at}`, { timeMs: noonMs + at }));
  const files = () => [...disk.files.keys()].filter((path) => /(chunk|changes)$/.test(path)).sort();
  const afterUnload = async (beacon: string, minutes: number) => {
    await engine.commit(unload(beacon, { timeMs: noonMs + minutes * 60_000, visibleMs: 100 }));
    // Files of the checkpoint before are kept, too.
    for (let time = 0; time < 2; time++) await engine.purge();
    return files();
  };
  const isChunk = (path: string) => path.endsWith("chunk");
  await engine.purge();
  const [first] = files() as [string];
  const changed = await afterUnload("b1", 1);
  expect(changed.filter(isChunk)).toEqual([first]);
  expect(changed).toHaveLength(2);
  const [second, ...others] = await afterUnload("b2", 11);
  expect(second).not.toBe(first);
  expect(others).toEqual([]);
  expect(basedIn(engine)).toBe(1);
  const later = await afterUnload("b3", 12);
  expect(later.filter(isChunk)).toEqual([second!]);
  expect(later).toHaveLength(2);
  expect(Array.from(chunksOf(engine)[0]!.duration.subarray(0, 4))).toEqual([0, 100, 100, 100]);
  await engine.stop();
  dumpOf(disk);
});

test.each(["a purge", "names that are folded", "a month that is dropped", "two of them"])(
  "%s copies no column of rows that are mapped from files",
  async (what) => {
    const life = new Life({ beaconRunMin: 1e9, openRowsMin: 1, basedRowsMin: 1 });
    await life.start();
    const { engine } = life;
    await addWebsites(engine, "a.example");
    await engine.commit(imported([noonMs - 40 * 24 * hourMs]));
    const at = Array.from({ length: 600 }, (_, row) => row);
    for (const row of at)
      await engine.commit(
        load(`b${row}`, { timeMs: noonMs + row, values: valuesOf(`/${row % 90}`), visit: row }),
      );
    await engine.purge();
    const { store } = engine["state"];
    const hash = store.beacons.hashOf("/5");
    const timeMs = noonMs + hourMs;
    const removed = (path: string) => removal(timeMs, path);
    const folded: LogRecord = {
      kind: "namesFolded",
      timeMs,
      websiteId: 1,
      names: [{ kind: "path", hashes: hashesText([hash]) }],
    };
    const dropped: LogRecord = { kind: "monthsDropped", timeMs, beforeMs: Date.UTC(2026, 2), deadPercent: 0 };
    const records = {
      "a purge": [removed("/7")],
      "names that are folded": [folded],
      "a month that is dropped": [dropped],
      "two of them": [removed("/7"), folded, removed("/8"), dropped],
    }[what] as LogRecord[];
    const open = () => chunksOf(engine).filter(({ maxMs }) => maxMs >= noonMs);
    expect(open().map(({ rows }) => rows)).toEqual([600]);
    const before = open().map(memoryOf);
    expect(before).toEqual([6 * 600]);
    const paths = () => {
      const site = engine.site(1)!;
      return open().flatMap(({ ids }) =>
        [...ids.path.values].map((id) => (id === 0 ? null : site.dictionaries[0]!.value(id))),
      );
    };
    for (const record of records) expect(store.apply(record)).toBe("done");
    expect(open().map(memoryOf)).toEqual(before);
    const gone = records.flatMap((record) =>
      record.kind === "rowsRemoved" ? record.having[0]!.values : record === folded ? ["/5"] : [],
    );
    expect(paths()).toEqual(at.map((row) => (gone.includes(`/${row % 90}`) ? null : `/${row % 90}`)));
    for (const path of gone) expect(engine.site(1)!.dictionaries[0]!.has(path ?? "")).toBeFalse();
    engine.check();
    await engine.stop();
    dumpOf(life.disk);
  },
);

test("room is kept for a file that is made of another and of what came since", async () => {
  const disk = new MemoryDisk();
  const io = memoryIo(disk);
  const foreseen: number[] = [];
  const engine = await openInMemory(disk, {
    fileMinimums: { beaconRunMin: 1e9, openRowsMin: 1, basedRowsMin: 1 },
    io: {
      ...io,
      writeCheckpoint(folder, checkpoint) {
        foreseen.push(bytesToWrite(checkpoint));
        return io.writeCheckpoint(folder, checkpoint);
      },
    },
  });
  await addWebsites(engine, "a.example");
  for (const at of [1, 2, 3])
    await engine.commit(load(`b${at}`, { timeMs: noonMs + at, values: valuesOf(`/${at}`) }));
  await engine.purge();
  const properties = Array.from({ length: 30 }, (_, at) => [`name-${at}`, "x"] as const);
  for (let at = 0; at < 100; at++) await engine.commit(event("b1", { timeMs: noonMs + 9, properties }));
  await engine.removeRows(1, { period: everything, filters: [filter("path", "eq", "/2")] }, false);
  await engine.purge();
  const chunks = [...disk.files].filter(([path]) => path.endsWith(".chunk"));
  const written = chunks.reduce((sum, [, { length }]) => sum + length, 0);
  expect(written).toBeGreaterThan(60_000);
  expect(foreseen.at(-1)).toBeGreaterThan(written);
  await engine.stop();
});

/** Commits page views in batches, each with a name of its own. */
async function fill(engine: RunningEngine, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += 4_096)
    await Promise.all(
      Array.from({ length: Math.min(4_096, rows - from) }, (_, at) =>
        engine.commit(
          load(`b${from + at}`, { timeMs: noonMs + from + at, values: valuesOf(`/${(from + at) % 500}`) }),
        ),
      ),
    );
}

longTest(
  "a full chunk takes next to no memory once a checkpoint has it, on a real disk, and goes on changing",
  () =>
    withFolder(async (folder) => {
      const clock = new TestClock(noonMs + 60_000);
      const open = () => openFolder(folder, { clock, smallRows: 0 });
      let engine = await open();
      await addWebsites(engine, "a.example");
      await fill(engine, chunkRowsMax + 10);
      const [full, last] = chunksOf(engine) as [never, never];
      const before = memoryOf(full);
      await engine.purge();
      // Four columns may still change: flags, durations and parts of visits; there are no properties.
      expect(memoryOf(full)).toBe(6 * chunkRowsMax);
      expect(before).toBeGreaterThan(4 * 6 * chunkRowsMax);
      expect(basedIn(engine)).toBe(1);
      expect((last as { basis?: object }).basis).toBeUndefined();
      const list = async () =>
        (await engine.ask(1, { list: "time", period: everything, filters: [], ...pages, limit: 3 })).json;
      const untimed = await list();
      const files = () =>
        readdirSync(join(folder, "chunks/1")).filter((name) => /-1\..*(chunk|changes)$/.test(name));
      const [file] = files() as [string];
      const bytes = readFileSync(join(folder, "chunks/1", file));
      for (const row of [0, 7, 65_000])
        await engine.commit(unload(`b${row}`, { timeMs: noonMs + 90_000, visibleMs: 7_000 + row }));
      await engine.commit(event("b7", { timeMs: noonMs + 90_000 }));
      const timed = await list();
      expect(timed).not.toBe(untimed);
      expect(readFileSync(join(folder, "chunks/1", file))).toEqual(bytes);
      // The event's property and its like are in memory.
      expect(memoryOf(full)).toBeLessThan(6 * chunkRowsMax + 10_000);
      await engine.stop();
      engine = await open();
      expect(await list()).toBe(timed);
      await engine.commit(unload("b8", { timeMs: noonMs + 95_000, visibleMs: 1 }));
      expect(basedIn(engine)).toBe(1);
      // The checkpoints wrote what had changed, and the chunk once.
      expect(files()).toContain(file);
      expect(files().filter((name) => name.endsWith(".chunk"))).toEqual([file]);
      expect(chunksOf(engine)[0]?.duration[65_000]).toBe(72_000);
      const laterMs = noonMs + 26 * hourMs;
      clock.advance(26 * hourMs);
      await engine.commit(load("later", { timeMs: laterMs }));
      // One seals it, the next has it as it is.
      await engine.purge();
      await engine.purge();
      expect(chunksOf(engine).map(({ sealed, resident }) => [sealed, resident])).toEqual([
        [true, false],
        [false, true],
      ]);
      expect(chunksOf(engine)[0]?.duration[65_000]).toBe(72_000);
      engine.check();
      await engine.stop();
    }),
);
