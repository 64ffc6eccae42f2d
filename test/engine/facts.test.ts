/** Facts of sealed chunks in their files: an engine on real ones, with its real workers. */
import { beforeAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Question } from "../../src/core/questions/query.ts";
import { systemIo, type EngineIo } from "../../src/engine/checkpoint/io.ts";
import type { OpenOptions } from "../../src/engine/options/options.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import { makeFacts } from "../../src/facts/making/job.ts";
import { systemDisk } from "../../src/lib/disk/disk.ts";
import { withContents } from "../../src/snapshot/contents.ts";
import { json } from "../../src/snapshot/named-sections.ts";
import { decodeSections, encodeSections, jsonSection } from "../../src/snapshot/section.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { TestClock } from "../support/clock.ts";
import { useFolder, withFolder } from "../support/folder.ts";
import { entriesOf, type Entry } from "../support/log-lines.ts";
import { openFolder } from "../support/open-folder.ts";
import { event, imported, load, unload, valuesOf } from "../support/records.ts";
import { someOf } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { everything, listOf } from "../support/site.ts";
import { until } from "../support/until.ts";
import { addWebsites } from "../support/websites.ts";

// Real files and Workers, beside whatever else the machine does.

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
  return openFolder(folder, { clock: new TestClock(nowMs), smallRows: 0, ...more });
}

/** Several chunks in the first month, which become one, and one in each of the others. */
async function fill(folder: string): Promise<void> {
  const engine = await open(folder);
  await addWebsites(engine, "a.example");
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
    const rows = monthMs === months[0] ? 2 * chunkRowsMax : 8_192;
    const times = Array.from({ length: rows }, (_, at) => monthMs + 300_000 + at * 10);
    for (let from = 0; from < times.length; from += 4_096) {
      const batch = times.slice(from, from + 4_096);
      const position = { file: `${monthMs}`, fromPosition: from, position: from + 4_096 };
      await engine.commit(imported(batch, { timeMs: nowMs, ...position }));
    }
  }
  for (const name of ["one", "two"])
    await engine.commit(load(name, { timeMs: nowMs, values: valuesOf("/april") }));
  await engine.stop();
  // The first start seals, and the next have the chunks in their files, and merge them.
  for (let start = 0; start < 3; start++) {
    const again = await open(folder);
    await again.purge();
    await again.stop();
  }
}

const directory = (folder: string) => join(folder, "chunks", "1");
const filesIn = (folder: string) =>
  existsSync(directory(folder))
    ? readdirSync(directory(folder)).filter((name) => name.endsWith(".facts"))
    : [];
const pathsIn = (folder: string) => filesIn(folder).map((name) => join(directory(folder), name));

/** Waits until there are so many files of facts, and asks then: the answers come from them. */
async function fromFacts(engine: RunningEngine, folder: string, files = 3): Promise<string[]> {
  const timing = async () => (await engine.ask(1, listOf("browsers"))).timing;
  // Two rows of April take hits still.
  await until(async () => (await timing()).includes('"2 rows read'), "the answers come from facts");
  expect(filesIn(folder)).toHaveLength(files);
  return answersOf(engine);
}

async function answersOf(engine: RunningEngine): Promise<string[]> {
  const answers = await Promise.all(questions.map((question) => engine.ask(1, question)));
  return answers.map(({ json }) => json);
}

async function fromRows(folder: string): Promise<string[]> {
  const engine = await open(folder, { smallRows: Infinity });
  const answers = await answersOf(engine);
  await engine.stop();
  return answers;
}

/** Returns how many files the log says are made again, the first of each for this reason. */
function discardedIn(entries: readonly Entry[], reason: string): number {
  const found = entries.filter((entry) => JSON.stringify(entry).includes(reason));
  return found.reduce((sum, { files }) => sum + Number(files), 0);
}

/** The ways in which a file can go wrong. */
const spoil: Readonly<Record<string, (path: string) => void>> = {
  "bits flipped all over": (path) => {
    const bytes = readFileSync(path);
    for (let at = 1_000; at < bytes.length; at += 50) bytes[at] = (bytes[at] as number) ^ 1;
    writeFileSync(path, bytes);
  },
  cut: (path) => writeFileSync(path, readFileSync(path).subarray(0, 1_000)),
  emptied: (path) => writeFileSync(path, ""),
  "a folder in its place": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
};

/** Makes facts as a version that gave other channels. */
const earlierIo: EngineIo = {
  ...systemIo,
  makeFacts: (job, onMade) => {
    const channelsOf: typeof lookUps.channelsOf = (site, of) =>
      lookUps.channelsOf(site, of).map((channel) => channel + 1);
    for (const made of makeFacts(systemDisk, job, { ...lookUps, channelsOf })) onMade(made);
    return { done: Promise.resolve(), cancel: () => {} };
  },
};

/** A folder with facts that each test has a copy of, and its answers. */
const template = useFolder();
let expected: readonly string[] = [];
beforeAll(async () => {
  await fill(template);
  const engine = await open(template);
  expected = await fromFacts(engine, template);
  await engine.stop();
});

describe("facts of sealed chunks", () => {
  test("are made after a checkpoint, say what the rows say, and serve the next start", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      for (const path of pathsIn(folder)) rmSync(path);
      expect(await fromRows(folder)).toEqual([...expected]);
      for (const path of pathsIn(folder)) rmSync(path);
      const engine = await open(folder);
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      await engine.stop();
      const made = filesIn(folder);
      const again = await open(folder);
      const first = await again.ask(1, listOf("browsers"));
      expect(first.json).toBe(expected[1] as string);
      expect(first.timing).toContain('"2 rows read');
      await again.stop();
      expect(filesIn(folder)).toEqual(made);
    }));

  test("are not made of a month with few rows beside those of the website: these are read", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      for (const path of pathsIn(folder)) rmSync(path);
      const times = Array.from({ length: 300 }, (_, at) => Date.UTC(2025, 11, 5) + at * 1_000);
      let engine = await open(folder, { smallRows: 140_000 });
      await engine.commit(imported(times, { timeMs: nowMs, file: "december" }));
      await engine.purge();
      const timing = async () => (await engine.ask(1, listOf("browsers"))).timing;
      await until(async () => (await timing()).includes('"302 rows read'), "the other months have facts");
      expect(filesIn(folder)).toHaveLength(3);
      const answers = await answersOf(engine);
      await engine.stop();
      engine = await open(folder);
      await until(async () => (await timing()).includes('"2 rows read'), "every month has facts");
      expect(filesIn(folder)).toHaveLength(4);
      expect(await answersOf(engine)).toEqual(answers);
      await engine.stop();
    }));

  test.each(someOf(Object.entries(spoil)))(
    "%s: the rows answer, and they are made again if that can be",
    (_, change) =>
      withFolder(async (folder) => {
        cpSync(template, folder, { recursive: true });
        for (const path of pathsIn(folder)) change(path);
        const { entries, logger } = entriesOf();
        const engine = await open(folder, { logger });
        expect(await answersOf(engine)).toEqual([...expected]);
        await until(
          () => entries.some(({ message }) => message.includes("cannot be used and are made again")),
          "the operator hears of it",
        );
        if (change !== spoil["a folder in its place"])
          expect(await fromFacts(engine, folder)).toEqual([...expected]);
        // The server goes on to make checkpoints, and answers whatever became of the files.
        await engine.commit(load("three", { timeMs: nowMs, values: valuesOf("/april") }));
        await engine.purge();
        const after = await answersOf(engine);
        await engine.stop();
        expect(after).toEqual(await fromRows(folder));
      }),
  );

  test("of one chunk under the name of another change no figure", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      const [one, two, three] = pathsIn(folder) as [string, string, string];
      const bytes = readFileSync(one);
      renameSync(two, one);
      writeFileSync(two, bytes);
      copyFileSync(two, three);
      const { entries, logger } = entriesOf();
      const engine = await open(folder, { logger });
      expect(await answersOf(engine)).toEqual([...expected]);
      await until(() => discardedIn(entries, "has the facts of") === 3, "the operator hears of all three");
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      await engine.stop();
    }));

  test("in which one bit is flipped, in a name, a length or anywhere, change no figure and make no error", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      const [path] = pathsIn(folder) as [string];
      const whole = readFileSync(path);
      const random = randomBySeed();
      // The heads and names of sections are in their first bytes; most others are data.
      const heads = [...whole.toString("latin1").matchAll(/rollup|quarters|wavelet|pages|events|source/g)];
      const places = heads.slice(0, 4).map(({ index }) => index - 16 + Math.floor(random() * 24));
      for (const at of someOf([...places, Math.floor(random() * whole.length)])) {
        const spoiled = Buffer.from(whole);
        spoiled[at] = (spoiled[at] as number) ^ (1 << Math.floor(random() * 8));
        writeFileSync(path, spoiled);
        const engine = await open(folder);
        expect(await answersOf(engine)).toEqual([...expected]);
        expect(await answersOf(engine)).toEqual([...expected]);
        await engine.stop();
      }
    }));

  test("that somebody removes while the server runs are made again after the next start", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      let engine = await open(folder);
      // The worker has seen what is there, and has mapped next to nothing of it.
      await engine.ask(1, listOf("browsers"));
      for (const path of pathsIn(folder)) rmSync(path);
      expect(await answersOf(engine)).toEqual([...expected]);
      await engine.stop();
      engine = await open(folder);
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      await engine.stop();
    }));

  test("by channels that tuples no longer have: rows answer, and they are made again, once", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      for (const path of pathsIn(folder)) rmSync(path);
      let engine = await open(folder, { smallRows: Infinity });
      const { json } = await engine.ask(1, listOf("channels"));
      await engine.stop();
      engine = await open(folder, { io: earlierIo });
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      await engine.stop();
      const { entries, logger } = entriesOf();
      engine = await open(folder, { logger });
      const asked = () => (engine as RunningEngine).ask(1, listOf("channels"));
      const first = await asked();
      expect(first.json).toBe(json);
      expect(first.timing).not.toContain('"2 rows read');
      const isKnown = async () => (await asked()).timing.includes('"2 rows read');
      await until(isKnown, "the answer comes from facts");
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      expect((await asked()).json).toBe(json);
      // The files of one question are one line, which needs nobody.
      const made = entries.filter(({ message }) => message.includes("of another version are made again"));
      expect(made).toHaveLength(1);
      expect(entries.filter(({ level }) => level !== "info")).toEqual([]);
      expect(discardedIn(made, "labels that values no longer have")).toBe(3);
      await engine.stop();
    }));

  test("of an earlier format are made again, and nobody is woken", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      for (const path of pathsIn(folder)) {
        const sections = decodeSections(readFileSync(path), path);
        const source = json(sections, "source") as { readonly format: number };
        const others = [...sections].filter(([name]) => !["source", "contents"].includes(name));
        const earlier = jsonSection("source", { ...source, format: source.format - 1 });
        const kept = others.map(([name, data]) => ({ name, data }));
        writeFileSync(path, encodeSections(withContents([earlier, ...kept])));
      }
      const { entries, logger } = entriesOf();
      const engine = await open(folder, { logger });
      expect(await answersOf(engine)).toEqual([...expected]);
      await until(() => discardedIn(entries, "found facts of format") === 3, "they are made again");
      expect(await fromFacts(engine, folder)).toEqual([...expected]);
      await engine.stop();
      expect(entries.filter(({ level }) => level !== "info")).toEqual([]);
    }));

  test("leave the disk with their website", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      const engine = await open(folder);
      await fromFacts(engine, folder);
      await engine.commit({ kind: "websiteRemoved", timeMs: nowMs, websiteId: 1 });
      await engine.purge();
      expect(filesIn(folder)).toEqual([]);
      await engine.stop();
    }));

  test("leave the disk with their months, and are made anew for those that stay", () =>
    withFolder(async (folder) => {
      cpSync(template, folder, { recursive: true });
      const engine = await open(folder);
      await fromFacts(engine, folder);
      await engine.commit({ kind: "monthsDropped", timeMs: nowMs, beforeMs: Date.UTC(2026, 2, 1) });
      await engine.purge();
      expect(filesIn(folder).filter((name) => !name.startsWith("2026-03"))).toEqual([]);
      await engine.purge();
      const answers = await fromFacts(engine, folder, 1);
      await engine.stop();
      expect(answers).toEqual(await fromRows(folder));
    }));
});
