/** Hits need some of the files that a start compares and does not load: an engine on real ones. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileMinimums } from "../../src/engine/checkpoint/file-minimums.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { websiteAdded } from "../support/account-records.ts";
import { TestClock } from "../support/clock.ts";
import { middleOfSection } from "../support/damage.ts";
import { withFolder } from "../support/folder.ts";
import { linesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { event, load, noonMs, unload, someone } from "../support/records.ts";
import { listOf } from "../support/site.ts";
import { addWebsites } from "../support/websites.ts";

const views = 60;
/** Beacons have files, chunks that still change do not. */
const runs: FileMinimums = { beaconRunMin: 20, openRowsMin: 1e9, basedRowsMin: 1e9 };

function open(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openFolder(folder, { clock: new TestClock(noonMs + 60_000), fileMinimums: runs, ...more });
}

/** A folder with some runs of beacons, and with a few that are in none. */
async function folderWithRuns(folder: string, fileMinimums = runs): Promise<void> {
  const engine = await open(folder, { fileMinimums });
  await addWebsites(engine, "a.example");
  for (let at = 0; at < views; at++) {
    await engine.commit(load(`b${at}`, { timeMs: noonMs + at }));
    if (at % 25 === 24) await engine.purge();
  }
  await engine.stop();
  expect(files(folder)).toHaveLength(2);
}

function files(folder: string): string[] {
  return readdirSync(join(folder, "beacons")).map((name) => join(folder, "beacons", name));
}

function chunkFiles(folder: string): string[] {
  // Each file system lists names in an order of its own: the highest number is the newest.
  const names = readdirSync(join(folder, "chunks/1"))
    .filter((name) => !name.endsWith(".site"))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const newest = names.filter((name) => name.endsWith(".changes")).slice(-1);
  return [...newest, ...names.filter((name) => name.endsWith(".chunk")).slice(-1)].map((name) =>
    join(folder, "chunks/1", name),
  );
}

async function expectEveryBeacon(engine: RunningEngine): Promise<void> {
  for (let at = 0; at < views; at++) {
    expect(await engine.commit(load(`b${at}`, { timeMs: noonMs + 1_000 }))).toBe("duplicate");
    const done = unload(`b${at}`, { timeMs: noonMs + 2_000, websiteId: 0, visibleMs: null });
    expect(await engine.commit(done)).toBe("done");
  }
  const [chunk] = [...(engine.site(1)?.chunks.values() ?? [])];
  // Without a time of its own an unload says the time since its load.
  const times = Array.from({ length: views }, (_, at) => 2_000 - at);
  expect([...(chunk?.duration.subarray(0, views) ?? [])]).toEqual(times);
  engine.check();
}

/** Flips a bit in the middle of a file, or of a section of it. Returns what the file was. */
function damage(file: string, section?: string): Buffer {
  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  const at = section === undefined ? damaged.length >> 1 : middleOfSection(systemDisk, file, section);
  damaged[at] = (damaged[at] as number) ^ 1;
  writeFileSync(file, damaged);
  return whole;
}

describe("beacons in files", () => {
  test("are found after a start, which only compares them", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder);
      const engine = await open(folder);
      await expectEveryBeacon(engine);
      await engine.stop();
      const again = await open(folder);
      expect(await again.commit(event("b7", { timeMs: noonMs + 9 * 3_600_000 }))).toBe("done");
      expect(await again.commit(unload("b7", { timeMs: noonMs + 25 * 3_600_000 }))).toBe("late");
      await again.stop();
    }));

  test("are read by the replay of a log that asks for them", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder);
      const engine = await open(folder);
      await expectEveryBeacon(engine);
      // As after a crash: what this engine has logged is in no checkpoint.
      await withFolder(async (copy) => {
        Bun.spawnSync(["cp", "-r", `${folder}/.`, copy]);
        const replayed = await open(copy);
        await expectEveryBeacon(replayed);
        await replayed.stop();
      });
      await engine.stop();
    }));
});

describe("a chunk that still changes, in a file", () => {
  const fileMinimums = { beaconRunMin: 1e9, openRowsMin: 50, basedRowsMin: 1e9 };

  test("takes hits after a start, which only compares it, and after a replay", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder, { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 1e9 });
      const engine = await open(folder, { fileMinimums });
      await expectEveryBeacon(engine);
      await withFolder(async (copy) => {
        Bun.spawnSync(["cp", "-r", `${folder}/.`, copy]);
        const replayed = await open(copy, { fileMinimums });
        await expectEveryBeacon(replayed);
        await replayed.stop();
      });
      await engine.stop();
      expect(chunkFiles(folder).map((file) => file.slice(file.lastIndexOf(".")))).toEqual([
        ".changes",
        ".chunk",
      ]);
      const again = await open(folder, { fileMinimums });
      await expectEveryBeacon(again);
      await again.stop();
    }));

  test("that is damaged after the start refuses hits and questions until it is restored; a checkpoint goes on", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder, { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 1e9 });
      const { lines, logger } = linesOf();
      const engine = await open(folder, { logger, fileMinimums });
      // The start has compared it.
      const [file] = chunkFiles(folder) as [string];
      const whole = damage(file);
      await expect(engine.commit(unload("b1", { timeMs: noonMs + 9 }))).rejects.toThrow("try again");
      expect(() => engine.site(1)?.chunks.get(1)?.duration).toThrow(
        /\.chunk: wrong section checksum at byte/,
      );
      await engine.commit(websiteAdded(2, "b.example"));
      await engine.purge();
      // A disk that is busy may have a line of its own.
      const ofDamage = lines.filter((line) => line.includes("wrong section checksum"));
      expect(ofDamage).toHaveLength(1);
      expect(ofDamage[0]).toMatch(/chunks\/1\/2026-03-1\.\d+\.chunk: wrong section checksum at byte/);
      writeFileSync(file, whole);
      await expectEveryBeacon(engine);
      await engine.stop();
    }));
});

test("a chunk that still changes and cannot be read fails each question in the worker until it is restored", () =>
  withFolder(async (folder) => {
    const more = { fileMinimums: { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 1e9 }, smallRows: 0 };
    await folderWithRuns(folder, more.fileMinimums);
    let engine = await open(folder, more);
    const expected = (await engine.ask(1, listOf("pages"))).json;
    await engine.stop();
    engine = await open(folder, more);
    const [file] = chunkFiles(folder) as [string];
    const whole = damage(file);
    for (let time = 0; time < 2; time++)
      await expect(engine.ask(1, listOf("pages"))).rejects.toThrow("wrong section checksum");
    writeFileSync(file, whole);
    for (let time = 0; time < 2; time++) expect((await engine.ask(1, listOf("pages"))).json).toBe(expected);
    await engine.stop();
  }));

test("a chunk whose file is damaged later is written again whole, for it is in memory", () =>
  withFolder(async (folder) => {
    const fileMinimums = { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 1e9 };
    await folderWithRuns(folder, fileMinimums);
    const engine = await open(folder, { fileMinimums });
    await engine.commit(unload("b0", { timeMs: noonMs + 2_000, visibleMs: 1 }));
    damage(chunkFiles(folder)[0] as string);
    // A checkpoint writes what has changed without a look at the file; the daily pass finds the damage.
    await engine.purge();
    const damaged = chunkFiles(folder).at(-1);
    await engine["scrubber"].pass();
    await engine.purge();
    expect(chunkFiles(folder)).toEqual([expect.stringMatching(/\.chunk$/)]);
    expect(chunkFiles(folder)).not.toContain(damaged);
    await engine.stop();
    const again = await open(folder, { fileMinimums });
    await expectEveryBeacon(again);
    await again.stop();
  }));

test("a chunk that is mapped from a file damaged later: checkpoints go on, and questions are refused until it is back", () =>
  withFolder(async (folder) => {
    const fileMinimums = { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 50 };
    await folderWithRuns(folder, fileMinimums);
    const engine = await open(folder, { fileMinimums });
    const durationMs = async () => JSON.parse((await engine.ask(1, listOf("pages"))).json)[0].duration;
    await engine.commit(unload("b0", { timeMs: noonMs + 2_000, visibleMs: 1 }));
    expect(await durationMs()).toBe(1);
    const file = chunkFiles(folder).find((name) => name.endsWith(".chunk")) as string;
    // Hits change other columns: the question reads this one from the file.
    const whole = damage(file, "path");
    await engine.purge();
    await engine["scrubber"].pass();
    await engine.commit(unload("b0", { timeMs: noonMs + 2_000, visibleMs: 3 }));
    await engine.purge();
    for (let time = 0; time < 2; time++)
      await expect(engine.ask(1, listOf("pages"))).rejects.toThrow("wrong section checksum");
    writeFileSync(file, whole);
    expect(await durationMs()).toBe(3);
    await engine.commit(event("b1", { timeMs: noonMs + 2_000 }));
    await engine.purge();
    await engine.stop();
    const again = await open(folder, { fileMinimums });
    await expectEveryBeacon(again);
    await again.stop();
  }));

test("a chunk that is sealed while its file is damaged goes into one of its own when that is back", () =>
  withFolder(async (folder) => {
    const fileMinimums = { beaconRunMin: 20, openRowsMin: 50, basedRowsMin: 50 };
    await folderWithRuns(folder, fileMinimums);
    const engine = await open(folder, { fileMinimums });
    await engine.commit(unload("b0", { timeMs: noonMs + 2_000, visibleMs: 7 }));
    const file = chunkFiles(folder).find((name) => name.endsWith(".chunk")) as string;
    const whole = damage(file, "path");
    await engine.commit(load("later", { timeMs: Date.UTC(2026, 4) }));
    const chunk = () => engine.site(1)?.chunks.get(1);
    await engine.purge();
    expect(chunk()?.sealed).toBe(true);
    await expect(engine.purge()).rejects.toThrow(/\.chunk: .*its checksum differs from that in its manifest/);
    await engine.purge();
    expect([chunk()?.resident, chunk()?.basis?.isDamaged]).toEqual([true, true]);
    writeFileSync(file, whole);
    for (let time = 0; time < 2; time++) await engine.purge();
    expect([chunk()?.resident, chunk()?.duration[0]]).toEqual([false, 7]);
    await engine.stop();
  }));

describe("damage of a file of beacons", () => {
  test("after the start refuses hits until it is restored, says so once, and nothing wrong is ever counted", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder);
      const [file] = files(folder) as [string];
      const { lines, logger } = linesOf();
      const engine = await open(folder, { logger });
      // The start has compared it.
      const whole = damage(file);
      expect(lines).toEqual([]);
      const refused = "the server could not read a file that it needs to count this: try again";
      for (const record of [load("new"), unload("b1"), event("b2"), load("b3")])
        await expect(engine.commit(record)).rejects.toThrow(refused);
      const hit = { kind: "unload" as const, hostname: "", beacon: "b1", visibleMs: 5 };
      await expect(
        engine.hits.take(hit, { userAgent: "", acceptLanguage: "" } as never, someone),
      ).rejects.toThrow(refused);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(
        /hits that need it fail until it is restored from a backup.*beacons\/\d+-1\.beacons: wrong section checksum at byte \d+/,
      );
      // Questions and settings go on, and so do checkpoints.
      expect(await engine.commit(websiteAdded(2, "b.example"))).toBe("done");
      expect(engine.site(1)?.chunks.get(1)?.rows).toBe(views);
      await engine.purge();
      writeFileSync(file, whole);
      await expectEveryBeacon(engine);
      await engine.stop();
    }));

  test("before the start refuses it, for both checkpoints have the file", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder);
      damage(files(folder)[0] as string);
      await expect(open(folder)).rejects.toThrow(
        /\.beacons: wrong section checksum at byte \d+: no checkpoint in .* is whole: restore a backup of the folder/,
      );
    }));

  test("of another length refuses the start, and so does a file that is gone", () =>
    withFolder(async (folder) => {
      await folderWithRuns(folder);
      const [file] = files(folder) as [string];
      truncateSync(file, 50);
      await expect(open(folder)).rejects.toThrow(
        /beacons\/\d+-1\.beacons: its length differs from that in \d+\.manifest at byte 50: no checkpoint in .* is whole/,
      );
      rmSync(file);
      await expect(open(folder)).rejects.toThrow(/\.beacons: missing, though \d+\.manifest lists it/);
    }));
});
