/**
 * Measures months that gave up their rows: how many bytes one of them has, and how long lists over ten years of them
 * take. One month is generated in full; the others are copies of it under their own names, so that ten years take no
 * hour to make.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "../src/core/query.ts";
import type { Target } from "../src/core/website/goal.ts";
import { reducedSections } from "../src/facts/months/reduce.ts";
import { systemClock } from "../src/lib/clock.ts";
import { systemDisk, writeFile } from "../src/lib/disk.ts";
import { MemoryBudget } from "../src/lib/memory-budget.ts";
import { QuestionPage } from "../src/query/answers/answer.ts";
import { QueryCache } from "../src/query/cache/cache.ts";
import { cacheBytesMax, QueryContext } from "../src/query/cache/context.ts";
import { compileTargets, visitsThatReached } from "../src/query/rows/targets.ts";
import { MappedFiles } from "../src/snapshot/mapped-files.ts";
import { encodeSections, fileChecksum, type Section } from "../src/snapshot/section.ts";
import { Chunk, type ChunkHead } from "../src/store/columns/chunk.ts";
import { mergedHead } from "../src/store/columns/merge.ts";
import { monthEndMs } from "../src/store/columns/month.ts";
import { joinedChunk } from "../src/store/files/join-chunks.ts";
import { emptySizes, saveSite } from "../src/store/files/save.ts";
import { saveChunk, viewColumns } from "../src/store/files/save-chunk.ts";
import { monthsIn } from "../src/store/state/months.ts";
import { fileOfMonth } from "../src/store/state/reduced-month.ts";
import { Site } from "../src/store/state/site.ts";
import { endMs, fillSite, pageViews, startMs } from "./data.ts";
import { median, table } from "./measure.ts";

const monthsOfTenYears = 120;
const goal: Target = { page: [{ operator: "eq", operands: ["/docs/page-10"] }] };

export interface YearsResult {
  readonly what: string;
  readonly figure: string;
}

export function benchYears(rows: number, runs: number): YearsResult[] {
  const folder = mkdtempSync(join(tmpdir(), "footfall-years-"));
  try {
    return measured(folder, rows, runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measured(folder: string, rows: number, runs: number): YearsResult[] {
  const { site, month } = filledMonth(rows);
  const began = performance.now();
  const sections = reducedSections(site, month, [], { targets: [goal], compile: compileTargets });
  const madeMs = performance.now() - began;
  const ofGoals = sections.filter(({ name }) => name.startsWith("goal"));
  const goalBytes = ofGoals.reduce((sum, { data }) => sum + data.length, 0);
  const conversions = visitsThatReached(
    site,
    goal,
    { startMs: -Infinity, endMs: Infinity },
    new QueryContext(),
  ).size;
  const names = encodeSections(saveSite(site, emptySizes)).length;
  site.chunks.clear();
  const monthBytes = addTenYears(folder, site, month.head, sections);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
  return [
    { what: "to add up a month", figure: `${Math.round(madeMs)} ms` },
    { what: "a month on disk", figure: megabytes(monthBytes) },
    { what: `of it, a goal that ${conversions} visits reached`, figure: megabytes(goalBytes) },
    {
      what: "ten years, with the names of the website",
      figure: megabytes(monthsOfTenYears * monthBytes + names),
    },
    ...listTimes(site, runs),
  ];
}

/** Returns a website with all page views in one month, in the order of time. */
function filledMonth(rows: number): { readonly site: Site; readonly month: Chunk } {
  const site = new Site(1);
  const share = (monthEndMs(startMs) - startMs) / (endMs + 1 - startMs);
  const inMonth = pageViews(rows).map((row) => ({
    ...row,
    timeMs: Math.floor(startMs + (row.timeMs - startMs) * share),
  }));
  fillSite(site, inMonth);
  const parts = [...site.chunks.values()];
  const head = mergedHead(parts);
  const saved = parts.map((part) => ({ ...part.head, sections: saveChunk(part) }));
  const none = () => {
    throw new Error("every chunk is in memory");
  };
  const joined = joinedChunk({ head, parts: saved }, none);
  const columns = viewColumns(new Map(joined.map(({ name, data }) => [name, data])));
  return { site, month: Chunk.sealed(head, () => columns) };
}

/** Writes the file of each month, and returns how long one is. */
function addTenYears(folder: string, site: Site, head: ChunkHead, sections: readonly Section[]): number {
  const clock = systemClock;
  const budget = new MemoryBudget(Infinity);
  const onDamage = (error: Error) => {
    throw error;
  };
  const months = monthsIn(new MappedFiles({ disk: systemDisk, folder, budget, clock, onDamage }));
  let bytes = 0;
  for (let number = 0; number < monthsOfTenYears; number++) {
    const monthMs = Date.UTC(2015, number);
    const bounds = head.bounds.map((ms) => ms && ms - head.monthMs + monthMs);
    const own = { ...head, number: number + 1, monthMs, bounds };
    const data = encodeSections(fileOfMonth(own, sections));
    const name = `${number}.month`;
    writeFile(systemDisk, join(folder, name), data);
    bytes = statSync(join(folder, name)).size;
    const file = { name, bytes: data.length, checksum: fileChecksum(data), mapped: true as const };
    site.addMonth(months.of(own, file));
  }
  return bytes;
}

/** The medians of lists over all months, as time of the processor: with nothing in the cache, and again. */
function listTimes(site: Site, runs: number): YearsResult[] {
  const period = { startMs: -Infinity, endMs: Infinity };
  const page = { period, filters: [], limit: 100, offset: 0, summary: false, grouped: true, locale: false };
  const lists = ["pages", "entries", "referrers", "browsers", "countries", "channels", "time"] as const;
  const timeOf = (question: Question, cache: QueryCache) => {
    const before = process.cpuUsage();
    new QuestionPage(site, [question], new QueryContext(cache)).answer(question);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const goals = { ...page, list: "goals", goals: [{ goalId: 1, name: "", target: goal }] };
  const questions = [
    ...lists.map((list) => ({ what: `${list}`, question: { ...page, list } })),
    {
      what: "pages with a goal",
      question: { ...page, list: "pages", goal, metrics: ["visits", "conversions"] },
    },
    { what: "goals", question: goals },
  ];
  return questions.map(({ what, question: asked }) => {
    const question = asked as unknown as Question;
    const kept = new QueryCache(cacheBytesMax);
    timeOf(question, kept);
    const first = Array.from({ length: runs }, () => timeOf(question, new QueryCache(0)));
    const again = Array.from({ length: runs }, () => timeOf(question, kept));
    const text = (times: number[]) => median(times).toFixed(1);
    return { what: `${what} over ten years: first, again`, figure: `${text(first)}, ${text(again)} ms` };
  });
}

export function yearsTable(results: readonly YearsResult[]): string {
  return table(
    ["measured", "figure"],
    results.map(({ what, figure }) => [what, figure]),
  );
}
