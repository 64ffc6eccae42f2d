/**
 * Measures months that gave up their rows: how many bytes one of them has, and how long lists over ten years of them
 * take. One month is generated in full; the others are copies of it under their own names, so that ten years take no
 * hour to make.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reducedSections } from "../src/facts/months/reduce.ts";
import { QueryCache } from "../src/query/cache/cache.ts";
import { QueryContext } from "../src/query/cache/context.ts";
import { channelsOf } from "../src/query/names/derived.ts";
import { compileGoals, visitsThatReached } from "../src/query/rows/filters/targets.ts";
import { encodeSections } from "../src/snapshot/section.ts";
import { Chunk } from "../src/store/chunks/chunk.ts";
import { mergedHead } from "../src/store/chunks/merge.ts";
import { monthEndMs } from "../src/store/chunks/month.ts";
import { joinedChunk } from "../src/store/files/join-chunks.ts";
import { emptySizes, saveSite } from "../src/store/files/save.ts";
import { saveChunk, viewColumns } from "../src/store/files/save-chunk.ts";
import { Site } from "../src/store/state/site.ts";
import { cacheBytesMax, endMs, fillSite, pageViews, startMs } from "./data.ts";
import { median, table } from "./measure.ts";
import { goals, monthsOfTenYears, openYears, questions, timeOf, writeYears } from "./years-folder.ts";

/** How often a question is asked as the first one of a process: these take longer than all the others. */
const startsMax = 5;

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
  const sections = reducedSections(site, month, [], { targets: goals, compile: compileGoals }, channelsOf);
  const madeMs = performance.now() - began;
  const ofGoals = sections.filter(({ name }) => name.startsWith("goal"));
  const goalBytes = ofGoals.reduce((sum, { data }) => sum + data.length, 0);
  const all = { startMs: -Infinity, endMs: Infinity };
  const conversions = goals.reduce(
    (sum, goal) => sum + visitsThatReached(goal, all, new QueryContext(site)).size,
    0,
  );
  const names = encodeSections(saveSite(site, emptySizes)).length;
  writeYears(folder, site, month.head, sections);
  const monthBytes = statSync(join(folder, "1.month")).size;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
  return [
    { what: "to add up a month, on the clock", figure: `${Math.round(madeMs)} ms` },
    { what: "a month on disk", figure: megabytes(monthBytes) },
    { what: `of it, ${goals.length} goals that ${conversions} visits reached`, figure: megabytes(goalBytes) },
    {
      what: "ten years, with the names of the website",
      figure: megabytes(monthsOfTenYears * monthBytes + names),
    },
    ...questionTimes(folder, runs),
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

/**
 * Returns medians of processor time of questions about all months, and about days from within a month to within another:
 * as the first one of a process; as a question that is new to a server at work, which has read these months for others and
 * kept nothing; and again.
 */
function questionTimes(folder: string, runs: number): YearsResult[] {
  const site = openYears(folder);
  const forgotten = () => new QueryCache(cacheBytesMax);
  // A server at work has compiled what answers them.
  for (let round = 0; round < 2; round++)
    for (const { question } of questions()) timeOf(site, question, forgotten());
  return questions().map(({ what, question }, at) => {
    const started = Array.from({ length: Math.min(runs, startsMax) }, () => firstOfProcess(folder, at));
    const first = Array.from({ length: runs }, () => timeOf(site, question, forgotten()));
    const kept = forgotten();
    timeOf(site, question, kept);
    const again = Array.from({ length: runs }, () => timeOf(site, question, kept));
    const text = (times: number[]) => median(times).toFixed(1);
    return {
      what: `${what}: after a start, first, again`,
      figure: `${text(started)}, ${text(first)}, ${text(again)} ms`,
    };
  });
}

/** Returns the time of a question in a process that has answered none. */
function firstOfProcess(folder: string, question: number): number {
  const script = join(import.meta.dir, "years-start.ts");
  const { stdout, exitCode } = Bun.spawnSync([process.execPath, script, folder, `${question}`], {
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode}`);
  return Number(stdout.toString());
}

export function yearsTable(results: readonly YearsResult[]): string {
  return table(
    ["measured", "figure"],
    results.map(({ what, figure }) => [what, figure]),
  );
}
