/** Copies of the rows of visits that are not whole in a chunk, and questions that they spare the chunk's columns. */
import { expect, test } from "bun:test";
import { columnNames } from "../../src/core/questions/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Question } from "../../src/core/questions/query.ts";
import type { ChunkFacts, SiteWithFacts } from "../../src/facts/facts.ts";
import { incompleteSections } from "../../src/facts/incomplete-visits.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag, visitFlag } from "../../src/store/columns/row-flag.ts";
import { Site } from "../../src/store/state/site.ts";
import { valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { listOf } from "../support/site.ts";
import { factsOf, seenWith } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const aprilMs = Date.UTC(2026, 3);
const mayMs = Date.UTC(2026, 4);
const nowMs = Date.UTC(2026, 6);
const minuteMs = 60_000;
const period = { startMs: aprilMs, endMs: Date.UTC(2026, 5) - 1 };
const metrics = ["pageviews", "visits", "views_per_visit", "time_per_visit"] as const;
const questions: readonly Question[] = [
  { period, filters: [], list: "summary", previous: false, interval: "day", timezone: "UTC", nowMs, metrics },
  { period, filters: [], list: "summary", previous: false, timezone: "UTC", nowMs, metrics },
  { ...listOf("browsers"), period, metrics: ["pageviews", "visits"], grouped: false },
];

/**
 * April and May, sealed: visits of up to four page views, of which some begin in the one and end in the other month. `isOver`:
 * whether these are taken to end in April, as where April was sealed while they were under way.
 */
function siteOf(random: () => number, crossing: number, isOver = false): Site {
  const site = new Site(1);
  const starts = Array.from({ length: 1_000 }, () => {
    const startMs = aprilMs + 10 * minuteMs + random() * 59 * dayMs;
    // One of the last minute of April might go on in May.
    return startMs < mayMs && startMs > mayMs - minuteMs ? startMs - minuteMs : startMs;
  });
  for (let at = 0; at < crossing; at++) starts.push(mayMs - (1 + 8 * random()) * minuteMs);
  const rows = starts.flatMap((startMs, at) => {
    const pages = 1 + Math.floor(random() * 3);
    const times = Array.from({ length: pages }, (_, page) => Math.floor(startMs + page * 20_000));
    if (at >= 1_000) times.push(mayMs + at);
    return times.map((timeMs) => ({ timeMs, visit: at + 1 }));
  });
  for (const { timeMs, visit } of rows.toSorted((a, b) => a.timeMs - b.timeMs)) {
    const visits = site.visitsWith(visit, timeMs);
    const ref = site.addRow(timeMs, valuesOf(`/${visit % 7}`), rowFlag.first, { visit });
    visits.addPageView(visit, timeMs, ref);
    if (random() < 0.5) ref.chunk.addDuration(ref.row, Math.floor(random() * 90_000));
  }
  if (isOver)
    for (const { visit, visitFlags, rows } of site.chunks.values())
      for (let row = 0; row < rows; row++) if (visit[row]! > 1_000) visitFlags[row]! |= visitFlag.exit;
  sealAndStore(site, nowMs);
  return site;
}

/** The website with facts of all its chunks, some of whose methods are others. */
function withFacts(site: Site, others: Partial<ChunkFacts> = {}): SiteWithFacts {
  const made = new Map(
    [...site.chunks.values()].map((chunk) => [
      chunk.number,
      Object.assign(factsOf(site, chunk), others) as ChunkFacts,
    ]),
  );
  return seenWith(site, ({ number }) => made.get(number));
}

function answers(site: SiteWithFacts): object[] {
  const page = new QuestionPage(questions, new QueryContext(site, new QueryCache(0)));
  return questions.map((question) => page.answer(question));
}

/** From here on whoever reads a row of the website fails. */
function hideRows(site: Site): void {
  for (const chunk of site.chunks.values())
    chunk.store(() => {
      throw new Error("a row was read");
    });
}

test("they have all columns of the rows of visits that begin or end elsewhere", () => {
  const site = siteOf(randomBySeed(), 12);
  for (const chunk of site.chunks.values()) {
    const rows = [...chunk.visit.subarray(0, chunk.rows).entries()].flatMap(([row, visit]) =>
      visit > 1_000 ? [row] : [],
    );
    expect(rows.length).toBeGreaterThanOrEqual(12);
    const copies = factsOf(site, chunk).incompleteVisits() as Chunk;
    expect(copies).toMatchObject({ rows: rows.length, monthMs: chunk.monthMs, sealed: true, sorted: true });
    for (const name of ["time", "flags", "duration", "visit", "visitFlags"] as const)
      expect(Array.from(copies[name])).toEqual(rows.map((row) => chunk[name][row]!));
    for (const name of columnNames)
      expect(Array.from(copies.ids[name].values)).toEqual(rows.map((row) => chunk.ids[name].values[row]!));
  }
});

test("there are none where no visit is cut off, or too many are", () => {
  const random = randomBySeed();
  for (const chunk of siteOf(random, 0).chunks.values()) expect(incompleteSections(chunk)).toEqual([]);
  for (const chunk of siteOf(random, 70).chunks.values()) expect(incompleteSections(chunk)).toEqual([]);
});

test("with them visits of several chunks are counted without a row", () => {
  const site = siteOf(randomBySeed(), 12);
  const seen = withFacts(site);
  const expected = answers(site);
  hideRows(site);
  expect(answers(seen)).toEqual(expected);
  const without = withFacts(siteOf(randomBySeed(), 12), { incompleteVisits: () => undefined });
  expect(answers(without)).toEqual(expected);
  hideRows(without as Site);
  expect(() => answers(without)).toThrow("a row was read");
});

test("where a shared visit is not among them, rows are read", () => {
  const site = siteOf(randomBySeed(), 12, true);
  expect(answers(withFacts(site))).toEqual(answers(site));
  const [april, may] = site.chunks.values();
  expect(factsOf(site, april as Chunk).incompleteVisits()).toBeUndefined();
  expect(factsOf(site, may as Chunk).incompleteVisits()).toBeDefined();
});
