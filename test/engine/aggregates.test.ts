/** Aggregates of finished months in their files: an engine on real ones, with its real workers. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Question } from "../../src/core/query.ts";
import { openEngine, type OpenOptions } from "../../src/engine/open.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { createLogger, silentLogger } from "../../src/lib/log.ts";
import { chunkRowsMax } from "../../src/store/chunk.ts";
import { userAdded, websiteAdded } from "../support/account-records.ts";
import { seededRandom, TestClock } from "../support/clock.ts";
import { withFolder } from "../support/folder.ts";
import { event, imported, load, unload, valuesOf } from "../support/records.ts";
import { everything, listOf } from "../support/site.ts";
import { until } from "../support/until.ts";
import { testTimeoutMs } from "../support/timeout.ts";

setDefaultTimeout(testTimeoutMs);

const months = [Date.UTC(2026, 0, 5), Date.UTC(2026, 1, 5), Date.UTC(2026, 2, 5)] as const;
const nowMs = Date.UTC(2026, 3, 2);
const questions: readonly Question[] = [
  listOf("pages"),
  listOf("browsers"),
  { ...everything, list: "time", summary: false },
  { ...everything, list: "properties" },
  { ...everything, list: "summary", previous: false, timezone: "UTC", nowMs },
];

function open(folder: string, more: Partial<OpenOptions> = {}): Promise<RunningEngine> {
  const clock = new TestClock(nowMs);
  const random = seededRandom(5);
  return openEngine({ folder, clock, random, logger: silentLogger, demo: false, smallRows: 0, ...more });
}

/** Two chunks in each month, which together have more rows than one may have. */
async function fill(folder: string): Promise<void> {
  const engine = await open(folder);
  await engine.commit(userAdded(1, "ada"));
  await engine.commit(websiteAdded(1, "a.example"));
  for (const monthMs of months) {
    // All in one go: few batches, and few syncs.
    const commits: Promise<unknown>[] = [];
    for (let at = 0; at < 300; at++) {
      const timeMs = monthMs + at * 1_000;
      const beacon = `${monthMs} ${at}`;
      const properties = [["plan", `${at % 7}`]] as const;
      commits.push(engine.commit(load(beacon, { timeMs, values: valuesOf(`/${at % 20}`) })));
      if (at % 3 === 0) commits.push(engine.commit(unload(beacon, { timeMs, visibleMs: at * 100 })));
      if (at % 5 === 0) commits.push(engine.commit(event(beacon, { timeMs, properties })));
    }
    await Promise.all(commits);
    const times = Array.from({ length: chunkRowsMax }, (_, at) => monthMs + 300_000 + at * 10);
    for (let from = 0; from < times.length; from += 4_096) {
      const batch = times.slice(from, from + 4_096);
      const position = { file: `${monthMs}`, fromPosition: from, position: from + 4_096 };
      await engine.commit(imported(batch, { timeMs: nowMs, ...position }));
    }
  }
  for (const name of ["one", "two"])
    await engine.commit(load(name, { timeMs: nowMs, values: valuesOf("/april") }));
  await engine.stop();
  // The first start seals, and the next has the chunks in their files.
  await (await open(folder)).stop();
}

const directory = (folder: string) => join(folder, "aggregates", "1");
const filesIn = (folder: string) =>
  existsSync(directory(folder))
    ? readdirSync(directory(folder)).filter((name) => !name.endsWith(".new"))
    : [];

/** Asks until the answers come from aggregates, and gives them. */
async function aggregated(engine: RunningEngine, folder: string, files: number): Promise<string[]> {
  for (const question of questions) await engine.ask(1, question);
  await until(() => filesIn(folder).length === files, `there are ${files} files of aggregates`);
  const answers = await Promise.all(questions.map((question) => engine.ask(1, question)));
  const { timing } = answers[0] as { timing: string };
  // Two rows of April take hits still.
  expect(timing).toContain('"2 rows read');
  return answers.map(({ json }) => json);
}

async function fromRows(folder: string): Promise<string[]> {
  const engine = await open(folder, { smallRows: Infinity });
  const answers = await Promise.all(questions.map((question) => engine.ask(1, question)));
  await engine.stop();
  return answers.map(({ json }) => json);
}

/** A chunk's file for each of six, and one for each month. */
const allFiles = 9;

describe("aggregates of months that are over", () => {
  test("are made when nobody asks, say what the rows say, and serve the next start", () =>
    withFolder(async (folder) => {
      await fill(folder);
      const expected = await fromRows(folder);
      const engine = await open(folder);
      expect(await aggregated(engine, folder, allFiles)).toEqual(expected);
      await engine.stop();
      const made = filesIn(folder);
      const again = await open(folder);
      const first = await again.ask(1, listOf("browsers"));
      expect(first.json).toBe(expected[1] as string);
      expect(first.timing).toContain('"2 rows read');
      await again.stop();
      expect(filesIn(folder)).toEqual(made);
    }));

  test("that are damaged, cut or gone are made again, and the operator hears of it", () =>
    withFolder(async (folder) => {
      await fill(folder);
      let engine = await open(folder);
      const expected = await aggregated(engine, folder, allFiles);
      const spoil: ((path: string) => void)[] = [
        (path) => {
          const bytes = readFileSync(path);
          for (let at = 1_000; at < bytes.length; at += 50) bytes[at] = (bytes[at] as number) ^ 1;
          writeFileSync(path, bytes);
        },
        (path) => writeFileSync(path, readFileSync(path).subarray(0, 1_000)),
        (path) => writeFileSync(path, ""),
        (path) => rmSync(path),
      ];
      for (const change of spoil) {
        await engine.stop();
        for (const name of filesIn(folder)) change(join(directory(folder), name));
        const lines: string[] = [];
        const write = (line: string) => lines.push(line);
        const logger = createLogger({ level: "warn", format: "json", nowMs: () => nowMs, write });
        engine = await open(folder, { logger });
        expect(await aggregated(engine, folder, allFiles)).toEqual(expected);
        if (change !== spoil.at(-1)) expect(lines.join()).toContain("is damaged and is made again");
      }
      await engine.stop();
    }));

  test("that somebody removes while the server runs are made again", () =>
    withFolder(async (folder) => {
      await fill(folder);
      let engine = await open(folder);
      const expected = await aggregated(engine, folder, allFiles);
      await engine.stop();
      engine = await open(folder);
      // The desk has seen what is there, and has mapped next to nothing of it.
      await engine.ask(1, listOf("browsers"));
      rmSync(join(folder, "aggregates"), { recursive: true });
      const answers = await Promise.all(questions.map((question) => engine.ask(1, question)));
      expect(answers.map(({ json }) => json)).toEqual(expected);
      expect(await aggregated(engine, folder, allFiles)).toEqual(expected);
      await engine.stop();
    }));

  test("leave the disk with their website", () =>
    withFolder(async (folder) => {
      await fill(folder);
      const engine = await open(folder);
      await aggregated(engine, folder, allFiles);
      await engine.commit({ kind: "websiteRemoved", timeMs: nowMs, websiteId: 1 });
      await engine.purge();
      expect(filesIn(folder)).toEqual([]);
      await engine.stop();
    }));

  test("leave the disk with their months, and are made anew for those that stay", () =>
    withFolder(async (folder) => {
      await fill(folder);
      const engine = await open(folder);
      await aggregated(engine, folder, allFiles);
      await engine.commit({ kind: "monthsDropped", timeMs: nowMs, beforeMs: Date.UTC(2026, 2, 1) });
      await engine.purge();
      expect(filesIn(folder).filter((name) => !name.startsWith("2026-03"))).toEqual([]);
      await engine.purge();
      const answers = await aggregated(engine, folder, 3);
      await engine.stop();
      expect(answers).toEqual(await fromRows(folder));
    }));
});
