/**
 * Acts as a program with grown tables (grown-tree.ts) on a folder: `<folder> <answers>` on the command line, JSON on
 * the standard output. It reads the folder, writes it again, takes hits with values of the new dimensions, and reads it
 * again.
 */
import { readFileSync } from "node:fs";
import { dimensions, listedDimensions } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import { noSums, type MonthSums } from "../../src/facts/months/month-sums.ts";
import type { RunningEngine } from "../../src/engine/running.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { answersTo, goldenAnswers, openGolden, type KeptAnswer } from "./golden-folder.ts";
import { load, valuesOf } from "./records.ts";
import type { Site } from "../../src/store/state/site.ts";
import { TestClock } from "./clock.ts";
import { reduceMonths } from "./reduced.ts";
import { trafficStartMs, websiteIds } from "./traffic.ts";

const [folder, answers] = process.argv.slice(2) as [string, string];
const kept: readonly KeptAnswer[] = readFileSync(answers, "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line));
const newValues = [...valuesOf("/new"), "1920 x 1080", "800 x 600", "a1"];
/** The dimensions that the recipe's lines have added. */
const newDimensions = dimensions.slice(12) as readonly { readonly name: string; readonly list: string }[];

async function found(engine: RunningEngine) {
  const isSame = JSON.stringify(await answersTo(engine, kept)) === JSON.stringify(kept);
  const lists: readonly string[] = newDimensions.map(({ list }) => list);
  const all = await goldenAnswers(engine);
  return {
    isSame,
    lists: all.filter(({ question }) => lists.includes(question.list)),
    extras: websiteIds.flatMap((websiteId) =>
      [...(engine.site(websiteId)?.chunks.values() ?? [])].map((chunk) => [...new Set(extrasOf(chunk))]),
    ),
  };
}

/** Reads a column that only a program with grown tables has. */
function extrasOf(chunk: Chunk): Uint32Array {
  return (chunk.columns as unknown as { readonly extra: Uint32Array }).extra.subarray(0, chunk.rows);
}

/**
 * The answers two months later, with rows of then, and after all months before have given up their rows: so there are
 * months that have the new dimensions, and in `months-1` also some that have not.
 */
async function withMonths() {
  const clock = new TestClock();
  clock.advance(62 * dayMs);
  const engine = await openGolden(folder, { clock });
  const month = new Date(engine.nowMs());
  const beforeMs = Date.UTC(month.getUTCFullYear(), month.getUTCMonth());
  for (const websiteId of websiteIds)
    await engine.commit({ ...load("later", { websiteId, values: newValues }), timeMs: engine.nowMs() });
  for (const websiteId of websiteIds) await engine.monthImport.add(websiteId, importedMonth);
  const before = await monthAnswers(engine, beforeMs);
  for (const websiteId of websiteIds) {
    const site = engine.site(websiteId) as Site;
    site.seal(beforeMs + 40 * dayMs);
    reduceMonths(site, beforeMs);
  }
  return { before, after: await monthAnswers(engine, beforeMs) };
}

const sums = { ...noSums, pageviews: 10, visitors: 4, visits: 4, entries: 4, exits: 4 };
/** A month that another product gave the sums of: it knows no more than six members of a source. */
const importedMonth: MonthSums = {
  monthMs: Date.UTC(2020, 0),
  days: [
    {
      day: Date.UTC(2020, 0, 2) / dayMs,
      all: sums,
      values: { path: [["/", sums]], browser: [], os: [], device: [], country: [] },
      sources: ["a.example", "b.example"].map((host) => [[host, "", "", "", "", "term"], sums]),
      events: [],
    },
  ],
};

/** Asks what months without rows answer, and the same of the rows there are from `rowsFromMs` on. */
async function monthAnswers(engine: RunningEngine, rowsFromMs: number): Promise<KeptAnswer[]> {
  const everything = { startMs: -Infinity, endMs: Infinity };
  const firstDays = { ...everything, endMs: Math.ceil(trafficStartMs / dayMs) * dayMs - 1 };
  const ofImported = { startMs: importedMonth.monthMs, endMs: importedMonth.monthMs + 31 * dayMs - 1 };
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: false, locale: false };
  const metrics = ["visitors", "pageviews", "visits", "bounce_percentage"] as const;
  const filters = [{ name: "screen" as "path", operator: "neq" as const, operands: ["x"] }];
  const summary = {
    list: "summary",
    filters: [],
    previous: false,
    interval: "month",
    timezone: "UTC",
    nowMs: 0,
  };
  const questions = [
    ...listedDimensions.flatMap(({ list }) =>
      (["hit", "visit"] as const).map((by) => ({ ...page, list, by, metrics, period: everything })),
    ),
    ...dimensions.map(({ list }) => ({
      ...page,
      list,
      metrics,
      period: firstDays,
    })),
    { ...page, list: "entries", period: everything },
    ...["referrers", "terms", "channels"].map((list) => ({ ...page, list, metrics, period: ofImported })),
    { ...summary, metrics, period: { startMs: trafficStartMs - 200 * dayMs, endMs: rowsFromMs - 1 } },
    ...newDimensions.map(({ list }) => ({
      ...page,
      filters,
      list,
      metrics,
      period: { startMs: rowsFromMs, endMs: Infinity },
    })),
  ] as unknown as Question[];
  return answersTo(
    engine,
    websiteIds.flatMap((websiteId) => questions.map((question) => ({ websiteId, question }))),
  );
}

async function opened<T>(use: (engine: RunningEngine) => Promise<T>): Promise<T> {
  const engine = await openGolden(folder);
  engine.check();
  const result = await use(engine);
  engine.check();
  await engine.stop();
  return result;
}

const first = await opened(found);
const again = await opened(async (engine) => {
  const result = await found(engine);
  await engine.purge();
  return result;
});
const last = await opened(async (engine) => {
  const result = await found(engine);
  for (const websiteId of websiteIds)
    for (const beacon of ["new a", "new b"])
      await engine.commit({ ...load(beacon, { websiteId, values: newValues }), timeMs: engine.nowMs() });
  return result;
});
const grown = await opened(found);
console.log(JSON.stringify({ first, again, last, grown, months: await withMonths() }));
process.exit(0);
