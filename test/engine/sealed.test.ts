/** Months that are over live in their files: an engine on real ones, with its real workers. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs } from "../../src/core/hit.ts";
import { workerMemory } from "../../src/engine/options/memory-plan.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerList, answerProperties, answerTime } from "../support/answers.ts";
import { TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { entriesOf, linesOf } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { addWebsites } from "../support/websites.ts";

const everything = { period: { startMs: -Infinity, endMs: Infinity }, filters: [], limit: 100, offset: 0 };
const aprilMs = Date.UTC(2026, 3, 2);

function open(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  return openFolder(folder, { clock: new TestClock(aprilMs), ...more });
}

/** March and the first of April, with everything that a chunk can hold. */
async function fill(engine: RunningEngine): Promise<void> {
  await addWebsites(engine, "a.example");
  for (let at = 0; at < 300; at++) {
    const timeMs = noonMs + at * 1_000;
    await engine.commit(load(`b${at}`, { timeMs, values: valuesOf(`/${at % 40}`) }));
    if (at % 3 === 0) await engine.commit(unload(`b${at}`, { timeMs, visibleMs: at * 100 }));
    if (at % 5 === 0) await engine.commit(event(`b${at}`, { timeMs, properties: [["plan", `${at % 7}`]] }));
  }
  await engine.commit(load("april", { timeMs: aprilMs, values: valuesOf("/april") }));
}

function siteOf(engine: RunningEngine): Site {
  return engine.site(1) as Site;
}

function answers(engine: RunningEngine): unknown[] {
  const site = siteOf(engine);
  const options = { summary: false, grouped: true, locale: false };
  const filter = { name: "path", operator: "starts_with", operands: ["/1"] } as const;
  return [
    answerList(site, { ...everything, ...options, list: "pages" }),
    answerList(site, { ...everything, ...options, list: "browsers", filters: [filter] }),
    answerTime(site, { ...everything, list: "time", summary: false }),
    answerProperties(site, { ...everything, list: "properties" }),
  ];
}

const states = (engine: RunningEngine) =>
  [...siteOf(engine).chunks.values()].map(({ monthMs, sealed, resident }) => [
    new Date(monthMs).getUTCMonth() + 1,
    sealed,
    resident,
  ]);

/** A folder whose March is sealed and in its file, and the answers that it has. */
async function sealedFolder(folder: string): Promise<unknown[]> {
  const engine = await open(folder);
  await fill(engine);
  const before = answers(engine);
  await engine.purge();
  expect(states(engine)).toEqual([
    [3, true, false],
    [4, false, true],
  ]);
  expect(answers(engine)).toEqual(before);
  engine.check();
  await engine.stop();
  return before;
}

function marchFile(folder: string): string {
  const directory = join(folder, "chunks/1");
  return join(directory, readdirSync(directory).find((name) => name.startsWith("2026-03-")) as string);
}

describe("a month that is over", () => {
  test("has the same answers before, after it was sealed, and after a start that does not read it", () =>
    withFolder(async (folder) => {
      const before = await sealedFolder(folder);
      const engine = await open(folder);
      expect(states(engine)).toEqual([
        [3, true, false],
        [4, false, true],
      ]);
      expect(answers(engine)).toEqual(before);
      engine.check();
      await engine.stop();
    }));

  test("is the same where mappings have no room, which the operator hears of", () =>
    withFolder(async (folder) => {
      const before = await sealedFolder(folder);
      const { entries, logger } = entriesOf();
      const bytes = statSync(marchFile(folder)).size;
      const worker = workerMemory(bytes, bytes);
      const engine = await open(folder, { logger, memoryBytes: bytes });
      expect(answers(engine)).toEqual(before);
      await engine.stop();
      expect(entries).toMatchObject([
        { level: "warn", bytes: Math.floor(worker.bytes - worker.cache), needed: bytes },
      ]);
      const enough = await open(folder, { logger, memoryBytes: 2 * bytes });
      expect(entries).toHaveLength(1);
      await enough.stop();
    }));

  test("takes nothing that comes too late, and what is imported into it has a chunk of its own", () =>
    withFolder(async (folder) => {
      await sealedFolder(folder);
      const engine = await open(folder);
      const before = answers(engine);
      const late = noonMs + 300_000 + dayMs;
      expect(await engine.commit(unload("b7", { timeMs: late, visibleMs: 1 }))).toBe("late");
      expect(await engine.commit(event("b7", { timeMs: late, websiteId: 0, values: null }))).toBe("late");
      expect(answers(engine)).toEqual(before);
      await engine.commit(load("old", { timeMs: noonMs, values: valuesOf("/old") }));
      expect(states(engine)).toEqual([
        [3, true, false],
        [4, false, true],
        [3, false, true],
      ]);
      const after = answers(engine);
      expect(after).not.toEqual(before);
      await engine.purge();
      expect(answers(engine)).toEqual(after);
      await engine.stop();
      const again = await open(folder);
      // The one row is too few to write the others again.
      expect(states(again)).toEqual([
        [3, true, false],
        [4, false, true],
        [3, true, false],
      ]);
      expect(answers(again)).toEqual(after);
      again.check();
      await again.stop();
    }));

  test("leaves its file when older months are dropped, and has another one then", () =>
    withFolder(async (folder) => {
      await sealedFolder(folder);
      const engine = await open(folder);
      await engine.commit(load("old", { timeMs: Date.UTC(2026, 0, 5), values: valuesOf("/january") }));
      const before = answers(engine);
      const file = marchFile(folder);
      await engine.commit({ kind: "monthsDropped", timeMs: aprilMs, beforeMs: Date.UTC(2026, 2) });
      expect(states(engine)).toEqual([
        [3, true, false],
        [4, false, true],
      ]);
      engine.check();
      const after = answers(engine);
      expect(JSON.stringify(after)).not.toContain("january");
      expect(after).not.toEqual(before);
      await engine.purge();
      expect(states(engine)[0]).toEqual([3, true, false]);
      expect(marchFile(folder)).not.toBe(file);
      expect(answers(engine)).toEqual(after);
      await engine.stop();
      const again = await open(folder);
      expect(answers(again)).toEqual(after);
      again.check();
      await again.stop();
    }));
});

describe("damage of its file", () => {
  test("is found by the first question that needs it; the operator hears of it once, and hits count on", () =>
    withFolder(async (folder) => {
      const before = await sealedFolder(folder);
      const file = marchFile(folder);
      const whole = readFileSync(file);
      const damaged = Buffer.from(whole);
      damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] as number) ^ 1;
      writeFileSync(file, damaged);
      const { lines, logger } = linesOf();
      const engine = await open(folder, { logger });
      for (let round = 0; round < 2; round++)
        expect(() => answers(engine)).toThrow(
          /chunks\/1\/2026-03-1\.\d+\.chunk: wrong .*checksum at byte \d+/,
        );
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("until it is restored from a backup");
      expect(lines[0]).toMatch(/2026-03-1\.\d+\.chunk: wrong .*checksum at byte \d+/);
      const april = { ...everything, period: { startMs: Date.UTC(2026, 3), endMs: Infinity } };
      const time = () => answerTime(siteOf(engine), { ...april, list: "time", summary: false });
      expect(time()).toEqual([]);
      expect(await engine.commit(load("x", { timeMs: aprilMs }))).toBe("done");
      await engine.purge();
      await engine.stop();
      rmSync(file);
      writeFileSync(file, whole);
      const restored = await open(folder);
      expect(answers(restored)).not.toEqual(before);
      expect(states(restored)[0]).toEqual([3, true, false]);
      await restored.stop();
    }));

  test("of another length makes the website unavailable, and so does a file that is gone, until it is back", () =>
    withFolder(async (folder) => {
      const before = await sealedFolder(folder);
      const file = marchFile(folder);
      const whole = readFileSync(file);
      const { lines, logger } = linesOf("error");
      for (const spoil of [() => truncateSync(file, 100), () => rmSync(file)]) {
        spoil();
        const engine = await open(folder, { logger });
        expect(() => answers(engine)).toThrow("this website is unavailable");
        await engine.stop();
      }
      expect(lines).toEqual([
        expect.stringMatching(
          /2026-03-1\.\d+\.chunk: its length differs from that in \d+\.manifest at byte 100/,
        ),
        expect.stringMatching(/2026-03-1\.\d+\.chunk: missing, though \d+\.manifest lists it/),
      ]);
      writeFileSync(file, whole);
      const restored = await open(folder);
      expect(answers(restored)).toEqual(before);
      await restored.stop();
    }));
});
