/**
 * Measures months that gave up their rows: how many bytes one of them has, and how long lists over ten years of them
 * take. One month is generated in full; the others are copies of it under their own names, so that ten years take no
 * hour to make.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Period, Question } from "../src/core/query.ts";
import type { Target } from "../src/core/website/goal.ts";
import { reducedSections } from "../src/facts/months/reduce.ts";
import { systemClock } from "../src/lib/clock.ts";
import { systemDisk, writeFile } from "../src/lib/disk/disk.ts";
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
const firstYear = 2015;
const pageGoal = (path: string): Target => ({ page: [{ operator: "eq", operands: [path] }] });
const eventGoal = (propValue: string | null): Target => ({
  event: { propName: "plan", propValue, amount: null },
});
const goals = [
  pageGoal("/docs/page-10"),
  pageGoal("/blog/page-300"),
  eventGoal(null),
  pageGoal("/docs/page-1"),
  eventGoal("plan-20"),
] as const;

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
  const sections = reducedSections(site, month, [], { targets: goals, compile: compileTargets });
  const madeMs = performance.now() - began;
  const ofGoals = sections.filter(({ name }) => name.startsWith("goal"));
  const goalBytes = ofGoals.reduce((sum, { data }) => sum + data.length, 0);
  const all = { startMs: -Infinity, endMs: Infinity };
  const conversions = goals.reduce(
    (sum, goal) => sum + visitsThatReached(site, goal, all, new QueryContext()).size,
    0,
  );
  const names = encodeSections(saveSite(site, emptySizes)).length;
  site.chunks.clear();
  const { bytes: monthBytes, mapAnew } = addTenYears(folder, site, month.head, sections);
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
  return [
    { what: "to add up a month, on the clock", figure: `${Math.round(madeMs)} ms` },
    { what: "a month on disk", figure: megabytes(monthBytes) },
    { what: `of it, ${goals.length} goals that ${conversions} visits reached`, figure: megabytes(goalBytes) },
    {
      what: "ten years, with the names of the website",
      figure: megabytes(monthsOfTenYears * monthBytes + names),
    },
    ...questionTimes(site, mapAnew, runs),
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

/** Writes the file of each month. Returns how long one is, and a function that forgets what was read of them. */
function addTenYears(folder: string, site: Site, head: ChunkHead, sections: readonly Section[]) {
  const heads = Array.from({ length: monthsOfTenYears }, (_, number) => {
    const monthMs = Date.UTC(firstYear, number);
    const bounds = head.bounds.map((ms) => ms && ms - head.monthMs + monthMs);
    return { ...head, number: number + 1, monthMs, bounds };
  });
  const files = heads.map((own) => {
    const data = encodeSections(fileOfMonth(own, sections));
    const name = `${own.number}.month`;
    writeFile(systemDisk, join(folder, name), data);
    return { name, bytes: data.length, checksum: fileChecksum(data), mapped: true as const };
  });
  const onDamage = (error: Error) => {
    throw error;
  };
  const mapAnew = () => {
    const budget = new MemoryBudget(Infinity);
    const months = monthsIn(
      new MappedFiles({ disk: systemDisk, folder, budget, clock: systemClock, onDamage }),
    );
    heads.forEach((own, at) => site.addMonth(months.of(own, files[at]!)));
  };
  mapAnew();
  return { bytes: statSync(join(folder, files[0]!.name)).size, mapAnew };
}

/**
 * The medians of questions about all months, and about days from within a month to within another, as time of the
 * processor: in a server that has read nothing of them, and again.
 */
function questionTimes(site: Site, mapAnew: () => void, runs: number): YearsResult[] {
  const timeOf = (question: Question, cache: QueryCache) => {
    const before = process.cpuUsage();
    new QuestionPage(site, [question], new QueryContext(cache)).answer(question);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return questions().map(({ what, question }) => {
    timeOf(question, new QueryCache(cacheBytesMax));
    const first = Array.from({ length: runs }, () => {
      mapAnew();
      return timeOf(question, new QueryCache(cacheBytesMax));
    });
    const kept = new QueryCache(cacheBytesMax);
    timeOf(question, kept);
    const again = Array.from({ length: runs }, () => timeOf(question, kept));
    const text = (times: number[]) => median(times).toFixed(1);
    return { what: `${what}: first, again`, figure: `${text(first)}, ${text(again)} ms` };
  });
}

function questions(): { readonly what: string; readonly question: Question }[] {
  const everything = { startMs: -Infinity, endMs: Infinity };
  const days = { startMs: Date.UTC(firstYear, 2, 11), endMs: Date.UTC(firstYear + 9, 9, 20) - 1 };
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: true, locale: false };
  const summary = { list: "summary", filters: [], previous: false, interval: "month", timezone: "UTC" };
  const goalsOf = (targets: readonly Target[]) =>
    targets.map((target, at) => ({ goalId: at + 1, name: "", target }));
  const lists = ["pages", "entries", "referrers", "browsers", "countries", "channels", "time"] as const;
  const ofPeriod = (period: Period, of: string) => [
    ...lists.map((list) => ({ what: `${list} ${of}`, question: { ...page, list, period } })),
    { what: `totals by month ${of}`, question: { ...summary, period, nowMs: Date.UTC(firstYear + 10, 0) } },
  ];
  const converted = { ...page, list: "pages", goal: goals[0], metrics: ["visits", "conversions"] };
  return [
    ...ofPeriod(everything, "over ten years"),
    { what: "pages with a goal over ten years", question: { ...converted, period: everything } },
    ...[1, goals.length].map((count) => ({
      what: `${count} ${count === 1 ? "goal" : "goals"} over ten years`,
      question: { ...page, list: "goals", goals: goalsOf(goals.slice(0, count)), period: everything },
    })),
    ...ofPeriod(days, "from a day within a month to another"),
  ] as unknown as { readonly what: string; readonly question: Question }[];
}

export function yearsTable(results: readonly YearsResult[]): string {
  return table(
    ["measured", "figure"],
    results.map(({ what, figure }) => [what, figure]),
  );
}
