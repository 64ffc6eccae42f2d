/**
 * Asks the same questions about websites of one, ten, … million page views, each of a real server with 1 GiB of memory,
 * and measures their cost and how much they read, the first time after a start and again. The last size is also asked
 * with its files on the disk only, and compared with `dd`.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ServerProcess } from "../test/support/server.ts";
import {
  smallMemory,
  startsInTurn,
  withBuilds,
  withStarted,
  type Build,
  type BuildOptions,
} from "./builds.ts";
import { median, mediansOf } from "./measure.ts";
import { memoryOf, type Memory } from "./memory.ts";
import { diskBytesOf, readMs, type Dropped } from "./page-cache.ts";
import { coldQuestions, freshFilters, scaleQuestions, twoFilters, warmUp } from "./scale-questions.ts";
import { workOf, type AnswerWork } from "./server-timing.ts";

export interface ScaleOptions extends Omit<BuildOptions, "rows" | "environment"> {
  /** Page views; the last are asked from the disk too. */
  readonly sizes: readonly number[];
  /** How often each server is measured. */
  readonly starts: number;
  /** How often each question is asked again, after each start. */
  readonly runs: number;
  /** Between two looks at whether the server still works in the background. */
  readonly settleMs: number;
  /** Makes the next reader of `files` go to the disk. */
  readonly drop: (files: readonly string[]) => Dropped;
}

export interface Asked {
  readonly name: string;
  readonly first: AnswerWork;
  readonly again: AnswerWork;
}

export interface SizeResult {
  /** The build's name. */
  readonly name: string;
  readonly rows: number;
  /** From the start of the process to the first answer of all. */
  readonly healthMs: number;
  /** … and to the first figures. */
  readonly figuresMs: number;
  readonly started: Memory;
  readonly asked: Memory;
  /** The questions without filters, then those with some. */
  readonly questions: readonly Asked[];
}

export interface ColdAsked {
  readonly name: string;
  readonly ms: number;
  /** Bytes that were fetched from the disk for it. */
  readonly bytes: number;
  /** How long `dd` takes to read as many bytes. */
  readonly ddMs: number;
}

export interface ScaleResult {
  readonly sizes: readonly SizeResult[];
  /** The sizes of the build that was measured in turn; none without one. */
  readonly others: readonly SizeResult[];
  readonly dropped: Dropped;
  /** The times of the last size. */
  readonly cold: readonly ColdAsked[];
}

/** The cache drops what it has for other questions once so many have not used it. A look is fifteen questions. */
const looksMin = 6;
const looksMax = 20;

export async function benchScale(options: ScaleOptions): Promise<ScaleResult> {
  const { sizes } = options;
  const results: (readonly SizeResult[])[] = [];
  let cold: Pick<ScaleResult, "dropped" | "cold"> = { dropped: "nothing", cold: [] };
  for (const [at, rows] of sizes.entries())
    await withBuilds({ ...options, rows, environment: smallMemory }, async (builds) => {
      results.push(await sizeResults(builds, rows, options));
      if (at === sizes.length - 1) cold = await coldResult(builds[0] as Build, options);
    });
  const of = (build: number) => results.flatMap((all) => all[build] ?? []);
  return { sizes: of(0), others: of(1), ...cold };
}

interface Start extends Omit<SizeResult, "name" | "rows" | "questions"> {
  readonly plain: readonly Turns[];
  readonly filtered: readonly Turns[];
}

/** The work for a question, each time that it was asked. */
interface Turns {
  readonly first: AnswerWork[];
  readonly again: AnswerWork[];
}

/** One of each build. */
async function sizeResults(
  builds: readonly Build[],
  rows: number,
  { starts: count, runs, settleMs }: ScaleOptions,
): Promise<SizeResult[]> {
  const starts = new Map(builds.map(({ name }): [string, Start[]] => [name, []]));
  await startsInTurn(builds, count, async (server, { name }, healthMs) => {
    starts.get(name)?.push(await started(server, healthMs, runs, settleMs));
  });
  return [...starts].map(([name, all]) => middle(name, rows, all));
}

function middle(name: string, rows: number, starts: readonly Start[]): SizeResult {
  const of = (pick: (start: Start) => number) => median(starts.map(pick));
  const memoryAt = (when: "started" | "asked"): Memory => ({
    residentMb: of((start) => start[when].residentMb),
    anonymousMb: of((start) => start[when].anonymousMb),
  });
  const questions = (["plain", "filtered"] as const).flatMap((which) =>
    scaleQuestions.map(({ name }, at) => ({
      name: which === "plain" ? name : `${name}, two filters`,
      first: mediansOf(starts.flatMap((start) => start[which][at]?.first ?? [])),
      again: mediansOf(starts.flatMap((start) => start[which][at]?.again ?? [])),
    })),
  );
  return {
    name,
    rows,
    healthMs: of(({ healthMs }) => healthMs),
    figuresMs: of(({ figuresMs }) => figuresMs),
    started: memoryAt("started"),
    asked: memoryAt("asked"),
    questions,
  };
}

async function started(
  server: ServerProcess,
  healthMs: number,
  runs: number,
  settleMs: number,
): Promise<Start> {
  const startMs = performance.now() - healthMs;
  const plain = scaleQuestions.map((): Turns => ({ first: [], again: [] }));
  const filtered = scaleQuestions.map((): Turns => ({ first: [], again: [] }));
  let [figuresMs, started] = [0, memoryOf(server.pid)];
  for (const [at, { path }] of scaleQuestions.entries()) {
    plain[at]?.first.push(await workOf(server, path));
    if (at > 0) continue;
    [figuresMs, started] = [performance.now() - startMs, memoryOf(server.pid)];
  }
  for (const [turns, filter] of [
    [plain, ""],
    [filtered, twoFilters],
  ] as const) {
    await settled(server, filter, settleMs);
    for (let run = 0; run < runs; run++)
      for (const [at, { path }] of scaleQuestions.entries())
        turns[at]?.again.push(await workOf(server, path + filter));
  }
  for (let run = 0; run < runs; run++)
    for (const [at, { path }] of scaleQuestions.entries())
      filtered[at]?.first.push(await workOf(server, path + freshFilters(run * filtered.length + at)));
  return { healthMs, figuresMs, started, asked: memoryOf(server.pid), plain, filtered };
}

/**
 * Waits until questions take the same twice. By then the server has made what it makes when it has nothing else to do,
 * and has dropped what it kept of other questions.
 */
async function settled(server: ServerProcess, filter: string, settleMs: number): Promise<void> {
  let before = "";
  for (let look = 0; look < looksMax; look++) {
    await Bun.sleep(settleMs);
    let now = "";
    for (const { path } of scaleQuestions) {
      const { rowsRead, rowsKnown, entriesAdded } = await workOf(server, path + filter);
      now += `${rowsRead} ${rowsKnown} ${entriesAdded},`;
    }
    if (now === before && look >= looksMin) return;
    before = now;
  }
}

/** Each question is the first that a server answers after its files left memory; `dd` reads them just before. */
async function coldResult(
  build: Build,
  { starts, drop }: ScaleOptions,
): Promise<Pick<ScaleResult, "dropped" | "cold">> {
  const files = chunkFiles(build.folder);
  const fileBytes = files.reduce((sum, file) => sum + Bun.file(file).size, 0);
  let dropped = drop(files);
  const cold: ColdAsked[] = [];
  for (const filter of ["", twoFilters])
    for (const { name, path } of coldQuestions) {
      const turns: Omit<ColdAsked, "name">[] = [];
      for (let run = 0; run < starts; run++) {
        dropped = drop(files);
        const ddMs = readMs(files);
        drop(files);
        const { ms, bytes } = await withStarted(build, (server) => askCold(server, path + filter));
        turns.push({ ms, bytes, ddMs: (ddMs * bytes) / fileBytes });
      }
      const of = (which: keyof Omit<ColdAsked, "name">) => median(turns.map((turn) => turn[which]));
      const full = filter === "" ? name : `${name}, two filters`;
      cold.push({ name: full, ms: of("ms"), bytes: of("bytes"), ddMs: of("ddMs") });
    }
  return { dropped, cold };
}

async function askCold(server: ServerProcess, path: string): Promise<{ ms: number; bytes: number }> {
  await workOf(server, warmUp);
  const before = diskBytesOf(server.pid);
  const { ms } = await workOf(server, path);
  return { ms, bytes: diskBytesOf(server.pid) - before };
}

function chunkFiles(folder: string): string[] {
  const chunks = join(folder, "snapshots", "chunks");
  const names = readdirSync(chunks, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".chunk")).map((name) => join(chunks, name));
}
