/** Damage under a running server: found by a pass over all files, and mended where memory has what was in the file. */
import { afterEach, describe, expect, jest, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../../src/core/hit.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { DiskError } from "../../src/lib/disk/disk.ts";
import { middleOfSection } from "../support/damage.ts";
import { dumpOf } from "../support/dump.ts";
import { withFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { MemoryDisk } from "../support/memory-disk.ts";
import { openInMemory } from "../support/memory-engine.ts";
import { memoryIo } from "../support/memory-io.ts";
import { openFolder } from "../support/open-folder.ts";
import { imported, load, noonMs, valuesOf } from "../support/records.ts";
import { filter, listOf } from "../support/site.ts";
import { turns } from "../support/turns.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

const question = listOf("pages");

async function fill(engine: RunningEngine): Promise<void> {
  await addWebsites(engine, "a.example");
  const past = Array.from({ length: 2_000 }, (_, at) => noonMs - 60 * dayMs + at * 1_000);
  await engine.commit(imported(past));
  for (let at = 0; at < 30; at++) await engine.commit(load(`b${at}`, { values: valuesOf(`/${at % 7}`) }));
  // The second finds the month sealed, and everything in files.
  for (let round = 0; round < 2; round++) await engine.purge();
}

const ask = async (engine: RunningEngine) => (await engine.ask(1, question)).json;
const pass = (engine: RunningEngine) => engine["scrubber"].pass();

/** `smallRows`: 0 has questions answered from mirrors and facts. */
async function filled(more: Partial<OpenOptions> = {}) {
  const disk = new MemoryDisk();
  const { lines, logger } = linesOf();
  const engine = await openInMemory(disk, { logger, ...more });
  await fill(engine);
  if (more.smallRows === 0) await until(() => named(disk, /\.facts$/).length > 0, "facts are made");
  return { disk, lines, engine };
}

function named(disk: MemoryDisk, pattern: RegExp): string[] {
  return [...disk.files.keys()].filter((path) => pattern.test(path));
}

/** Flips a bit in the middle of the newest file of that kind, or of a section of it, and returns what puts it back. */
function damage(disk: MemoryDisk, pattern: RegExp, section?: string) {
  const path = named(disk, pattern).sort().at(-1) as string;
  const whole = disk.read(path);
  const at = section === undefined ? whole.length >> 1 : middleOfSection(disk, path, section);
  disk.put(path, whole.with(at, (whole[at] as number) ^ 8));
  return { path, restore: () => disk.put(path, whole) };
}

describe("a pass over all files", () => {
  test("says nothing of sound ones, whatever checkpoints do meanwhile", async () => {
    const { engine, lines } = await filled({ smallRows: 0 });
    const passing = pass(engine);
    for (let round = 0; round < 3; round++) {
      await engine.commit(load(`later${round}`));
      await engine.purge();
    }
    await passing;
    await pass(engine);
    expect(lines).toEqual([]);
    await engine.stop();
  });

  test("says nothing of the state of a checkpoint whose place newer ones took before it was read", async () => {
    const disk = new MemoryDisk();
    const io = memoryIo(disk);
    const { lines, logger } = linesOf();
    const begun = Promise.withResolvers<void>();
    const later: typeof io.scrub = (job, onDamaged) => ({
      done: begun.promise.then(() => io.scrub(job, onDamaged).done),
      cancel: () => {},
    });
    const engine = await openInMemory(disk, { logger, io: { ...io, scrub: later } });
    await fill(engine);
    const states = named(disk, /\.state$/);
    const passing = pass(engine);
    for (let round = 0; round < 3; round++) {
      await engine.commit(load(`later${round}`));
      await engine.purge();
    }
    for (const path of states) expect(disk.files.has(path)).toBeFalse();
    begun.resolve();
    await passing;
    expect(lines).toEqual([]);
    await engine.stop();
  });

  test.each([
    ["of dictionaries", /\.site$/],
    ["of the state", /\.state$/],
    ["that names all others", /\.manifest$/],
    ["of a chunk that still changes", /chunks\/1\/2026-03.*\.chunk$/],
  ])("finds a damaged file %s, which the next checkpoint writes again", async (_, pattern) => {
    const { disk, engine, lines } = await filled();
    const before = dumpOf(disk);
    const { path } = damage(disk, pattern);
    await pass(engine);
    const name = path.slice("/data/".length);
    expect(lines).toEqual([
      expect.stringContaining("warn  a file was damaged on the disk: it is written again from memory"),
    ]);
    expect(lines[0]).toContain(name);
    await until(() => named(disk, pattern).some((other) => other > path), "it is written again");
    await engine["checkpointer"].between(async () => {});
    // As the power goes now: nothing needs the damaged file.
    const after = disk.clone();
    expect(dumpOf(after)).toEqual(before);
    lines.length = 0;
    await pass(engine);
    expect(lines).toEqual([]);
    await engine.stop();
  });

  test.each([
    ["a website that is asked here", 1e9],
    ["one that is asked in the Worker", 0],
  ])(
    "finds a damaged file of a sealed chunk of %s: its questions fail until it is back",
    async (_, smallRows) => {
      const { disk, engine, lines } = await filled({ smallRows });
      const expected = await ask(engine);
      for (const path of named(disk, /\.facts$/)) disk.remove(path);
      const { path, restore } = damage(disk, /chunks\/1\/2026-01.*\.chunk$/, "flags");
      await pass(engine);
      expect(lines[0]).toMatch(
        /^error a file is damaged: what needs it is refused.*wrong section checksum at byte/,
      );
      expect(lines[0]).toContain(path.slice("/data/".length));
      // Masks and rows that were read before are those of the sound file; a question with another filter needs this column.
      const filtered = {
        ...question,
        filters: [{ name: "browser", operator: "neq", operands: ["X"] }],
      } as const;
      for (let time = 0; time < 2; time++)
        expect(await engine.ask(1, filtered).catch(String)).toContain("wrong section checksum");
      restore();
      expect(await ask(engine)).toBe(expected);
      expect(JSON.parse((await engine.ask(1, filtered)).json)).toEqual(JSON.parse(expected));
      await engine.stop();
    },
  );

  test("finds a damaged segment of the log, which no start needs after a checkpoint", async () => {
    const { disk, engine, lines } = await filled();
    await engine.commit(load("last"));
    const before = dumpOf(disk);
    // Another one is begun, and nothing is saved.
    disk.fillAt(1, 1);
    await engine.commit(load("lost")).catch(() => {});
    await engine.commit(load("later"));
    const expected = before.length + 1;
    const segments = named(disk, /\.wal$/);
    expect(segments.length).toBeGreaterThan(1);
    lines.length = 0;
    await pass(engine);
    expect(lines).toEqual([]);
    const path = segments.at(-2) as string;
    const bytes = disk.read(path);
    disk.put(path, bytes.with(bytes.length >> 1, (bytes[bytes.length >> 1] as number) ^ 1));
    await pass(engine);
    expect(lines).toEqual([
      expect.stringContaining("warn  a segment of the log is damaged: a checkpoint is made"),
    ]);
    await until(() => !disk.files.has(path), "the segment is gone");
    await engine["checkpointer"].between(async () => {});
    expect(dumpOf(disk.clone())).toHaveLength(expected);
    await engine.stop();
  });

  test("finds a sealed chunk's file that is gone", async () => {
    const { disk, engine, lines } = await filled();
    await ask(engine);
    const [path] = named(disk, /chunks\/1\/2026-01.*\.chunk$/) as [string];
    disk.remove(path);
    await pass(engine);
    expect(lines).toEqual([expect.stringMatching(/^error a file is damaged.*\(ENOENT\)/)]);
    expect(await ask(engine).catch(String)).toContain("ENOENT");
    await engine.stop();
  });

  test("removes damaged facts, and has them made again", async () => {
    const { disk, engine, lines } = await filled({ smallRows: 0 });
    const expected = await ask(engine);
    const { path } = damage(disk, /\.facts$/);
    const damaged = disk.read(path);
    await pass(engine);
    expect(lines).toEqual([
      expect.stringContaining("warn  a file of precomputed sums is damaged: it is made again"),
    ]);
    await until(
      () => disk.files.has(path) && !Buffer.from(disk.read(path)).equals(damaged),
      "facts are made",
    );
    expect(await ask(engine)).toBe(expected);
    lines.length = 0;
    await pass(engine);
    expect(lines).toEqual([]);
    await engine.stop();
  });
});

test("in a Worker of its own: damage on a real disk refuses the question", () =>
  withFolder(async (folder) => {
    const { lines, logger } = linesOf();
    const engine = await openFolder(folder, { logger });
    await fill(engine);
    await ask(engine);
    await pass(engine);
    expect(lines).toEqual([]);
    const directory = join(folder, "chunks/1");
    const file = join(directory, readdirSync(directory).find((name) => name.startsWith("2026-01")) as string);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 8;
    writeFileSync(file, bytes);
    await pass(engine);
    expect(lines).toEqual([expect.stringContaining("a file is damaged")]);
    expect(await ask(engine).catch(String)).toContain("wrong section checksum");
    await engine.stop();
  }));

test("a file that cannot be read is a failure of the disk for who asks, whichever thread answers", () =>
  withFolder(async (folder) => {
    // Facts answer nothing that filters.
    const filtered = { ...question, filters: [filter("path", "contains", "1")] };
    for (const smallRows of [0, Infinity]) {
      const data = join(folder, String(smallRows));
      const engine = await openFolder(data, { smallRows });
      await fill(engine);
      const directory = join(data, "chunks/1");
      for (const name of readdirSync(directory).filter((own) => own.startsWith("2026-01"))) {
        rmSync(join(directory, name));
        mkdirSync(join(directory, name));
      }
      const error: unknown = await engine.ask(1, filtered).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DiskError);
      expect(String(error)).toMatch(/cannot (read|map) .*2026-01.*\.chunk: it is a directory/);
      await engine.stop();
    }
  }));

describe("by the clock", () => {
  afterEach(() => void jest.useRealTimers());

  test("the first pass comes ten minutes after the start, the next a day later, and none after the stop", async () => {
    jest.useFakeTimers();
    const disk = new MemoryDisk();
    const io = memoryIo(disk);
    let passes = 0;
    const counted: typeof io = { ...io, scrub: (...job) => (passes++, io.scrub(...job)) };
    const engine = await openInMemory(disk, { io: counted });
    const after = async (minutes: number) => {
      jest.advanceTimersByTime(minutes * 60_000);
      await turns();
      return passes;
    };
    expect([await after(9), await after(1), await after(1_439), await after(1)]).toEqual([0, 1, 1, 2]);
    await engine.stop();
    expect(await after(3_000)).toBe(2);
  });
});
