/** Ten years of months without rows in a folder, and the questions that are asked about them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Period, Question } from "../src/core/questions/query.ts";
import type { Target } from "../src/core/website/goal.ts";
import { systemClock } from "../src/lib/clock.ts";
import { systemDisk, writeFile } from "../src/lib/disk/disk.ts";
import { MemoryBudget } from "../src/lib/memory/memory-budget.ts";
import { QuestionPage } from "../src/query/answers/answer.ts";
import type { QueryCache } from "../src/query/cache/cache.ts";
import { QueryContext } from "../src/query/cache/context.ts";
import type { FileEntry } from "../src/snapshot/manifest.ts";
import { MappedFiles } from "../src/snapshot/mapped-files.ts";
import { decodeSections, encodeSections, fileChecksum, type Section } from "../src/snapshot/section.ts";
import type { ChunkHead } from "../src/store/chunks/chunk-head.ts";
import { emptySizes, loadSite, saveSite } from "../src/store/files/save.ts";
import { monthsIn } from "../src/store/state/months.ts";
import { fileOfMonth } from "../src/store/state/reduced-month.ts";
import type { Site } from "../src/store/state/site.ts";

export const monthsOfTenYears = 120;
const firstYear = 2015;
const namesFile = "names";
const headsFile = "heads.json";

const pageGoal = (path: string): Target => ({ page: [{ operator: "eq", operands: [path] }] });
const eventGoal = (propValue: string | null): Target => ({
  event: { propName: "plan", propValue, amount: null },
});
export const goals = [
  pageGoal("/docs/page-10"),
  pageGoal("/blog/page-300"),
  eventGoal(null),
  pageGoal("/docs/page-1"),
  eventGoal("plan-20"),
] as const;

interface MonthOfFolder {
  readonly head: ChunkHead;
  readonly file: FileEntry & { readonly mapped: true };
}

/** Writes the file of each month with these sections, and the names of the website. */
export function writeYears(folder: string, site: Site, head: ChunkHead, sections: readonly Section[]): void {
  const months = Array.from({ length: monthsOfTenYears }, (_, number): MonthOfFolder => {
    const monthMs = Date.UTC(firstYear, number);
    const bounds = head.bounds.map((ms) => ms && ms - head.monthMs + monthMs);
    const own = { ...head, number: number + 1, monthMs, bounds };
    const data = encodeSections(fileOfMonth(own, sections));
    const name = `${own.number}.month`;
    writeFile(systemDisk, join(folder, name), data);
    return { head: own, file: { name, bytes: data.length, checksum: fileChecksum(data), mapped: true } };
  });
  site.chunks.clear();
  writeFileSync(join(folder, namesFile), encodeSections(saveSite(site, emptySizes)));
  writeFileSync(join(folder, headsFile), JSON.stringify(months));
}

/** Returns the website with its months, of which nothing is read. */
export function openYears(folder: string): Site {
  const site = loadSite(decodeSections(readFileSync(join(folder, namesFile)), namesFile));
  const onDamage = (error: Error) => {
    throw error;
  };
  const budget = new MemoryBudget(Infinity);
  const months = monthsIn(
    new MappedFiles({ disk: systemDisk, folder, budget, clock: systemClock, onDamage }),
  );
  const own = JSON.parse(readFileSync(join(folder, headsFile), "utf8")) as readonly MonthOfFolder[];
  for (const { head, file } of own) site.addMonth(months.of(head, file));
  return site;
}

/** Returns the milliseconds of processor time that an answer takes. */
export function timeOf(site: Site, question: Question, cache: QueryCache): number {
  const before = process.cpuUsage();
  new QuestionPage([question], new QueryContext(site, cache)).answer(question);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function questions(): { readonly what: string; readonly question: Question }[] {
  const everything = { startMs: -Infinity, endMs: Infinity };
  const days = { startMs: Date.UTC(firstYear, 2, 11), endMs: Date.UTC(firstYear + 9, 9, 20) - 1 };
  const page = { filters: [], limit: 100, offset: 0, summary: false, grouped: true, locale: false };
  const summary = { list: "summary", filters: [], previous: false, interval: "month", timezone: "UTC" };
  const nowMs = Date.UTC(firstYear + 10, 0);
  const goalsOf = (targets: readonly Target[]) =>
    targets.map((target, at) => ({ goalId: at + 1, name: "", target }));
  const lists = [
    "pages",
    "entries",
    "exits",
    "referrers",
    "browsers",
    "countries",
    "channels",
    "time",
  ] as const;
  const byVisit = ["pages", "referrers", "countries", "channels"] as const;
  const ofPeriod = (period: Period, of: string) => [
    ...lists.map((list) => ({ what: `${list} ${of}`, question: { ...page, list, period } })),
    ...byVisit.map((list) => ({
      what: `${list} by visit ${of}`,
      question: { ...page, list, period, by: "visit", nowMs },
    })),
    { what: `totals by month ${of}`, question: { ...summary, period, nowMs } },
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
