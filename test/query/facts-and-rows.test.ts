/** Questions take some answers from facts, and read rows for the others. */
import { describe, expect, test } from "bun:test";
import { dimensionIndex } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { IntervalName, Period, Selection, SummaryQuery } from "../../src/core/questions/query.ts";
import type { SiteWithFacts } from "../../src/facts/facts.ts";
import { quarterMs } from "../../src/facts/quarters.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { Counts } from "../../src/query/counts/count.ts";
import { factsAndRows } from "../../src/query/rows/facts-and-rows.ts";
import { PageCounts } from "../../src/query/counts/page-counts.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList, answerProperties, answerSummary, answerTime } from "../support/answers.ts";
import { addView, everything, filter, listOf, type View } from "../support/site.ts";
import { factsOf, seenWith, withFacts } from "../support/some-facts.ts";

const marchMs = Date.UTC(2026, 2);
const aprilMs = Date.UTC(2026, 3);

const newContext = (site: SiteWithFacts) => new QueryContext(site, new QueryCache(0));

/** `count` views, one an hour from `fromMs` on, of ten pages. */
function views(fromMs: number, count: number): View[] {
  return Array.from({ length: count }, (_, at): View => ({
    timeMs: fromMs + (at * dayMs) / 24,
    path: `/${at % 10}`,
    ms: at * 100,
    properties: at % 4 === 0 ? [["name", `${at}`]] : [],
  }));
}

/** Chunks 1 and 2 in March, sealed; 3 of April, open. */
function ofTwoMonths(): Site {
  const site = new Site(1);
  for (const some of [views(marchMs, 400), views(marchMs + dayMs, 400)]) {
    for (const view of some) addView(site, view);
    site.seal(aprilMs + 2 * dayMs);
  }
  for (const view of views(aprilMs, 10)) addView(site, view);
  return site;
}

/** The numbers of the chunks whose facts stand, with their parts, and of those whose rows are read. */
function divided(site: SiteWithFacts, unitMs: number, more: Partial<Selection> = {}, edgesMs?: number[]) {
  const selection = { ...everything, ...more };
  const { facts, rows } = factsAndRows(site, selection, unitMs, edgesMs && { edgesMs });
  return {
    facts: facts.map(({ chunk, span, whole, from, to }) =>
      whole ? [chunk.number, span] : [chunk.number, span, from, to],
    ),
    rows: rows.map(({ chunk, period: { startMs, endMs } }) => [chunk.number, startMs, endMs]),
  };
}

describe("a selection is divided into facts and rows", () => {
  const site = ofTwoMonths();
  const seen = withFacts(site, [1, 2]);
  const march0 = marchMs / dayMs;
  const open = [3, -Infinity, Infinity];

  test("with all of a chunk, its facts stand for it", () => {
    for (const unitMs of [Infinity, dayMs, quarterMs])
      expect(divided(seen, unitMs)).toEqual({
        facts: [
          [1, 0],
          [2, 0],
        ],
        rows: [open],
      });
    expect(divided(withFacts(site, [2]), dayMs)).toEqual({
      facts: [[2, 0]],
      rows: [[1, -Infinity, Infinity], open],
    });
  });

  test("with a part of it, those of its whole units do, and the rest is read", () => {
    const period = { startMs: marchMs + 1.5 * dayMs, endMs: Infinity };
    const noon = marchMs + 1.5 * dayMs;
    const midnight = marchMs + 2 * dayMs;
    expect(divided(seen, Infinity, { period })).toEqual({
      facts: [],
      rows: [
        [1, noon, Infinity],
        [2, noon, Infinity],
        [3, noon, Infinity],
      ],
    });
    expect(divided(seen, dayMs, { period })).toEqual({
      facts: [
        [1, 0, march0 + 2, march0 + 17],
        [2, 0, march0 + 2, march0 + 18],
      ],
      rows: [
        [1, noon, midnight - 1],
        [2, noon, midnight - 1],
        [3, noon, Infinity],
      ],
    });
  });

  test("by spans: each has its own part, and what is left of neighbours is one", () => {
    const [first, second] = [marchMs + 3 * dayMs, marchMs + 4 * dayMs + 60_000];
    const period = { startMs: first, endMs: marchMs + 6 * dayMs - 1 };
    const edges = [first, second, period.endMs + 1];
    expect(divided(withFacts(site, [1]), dayMs, { period }, edges)).toEqual({
      facts: [
        [1, 0, march0 + 3, march0 + 4],
        [1, 1, march0 + 5, march0 + 6],
      ],
      rows: [
        [1, marchMs + 4 * dayMs, marchMs + 5 * dayMs - 1],
        [2, period.startMs, period.endMs],
      ],
    });
  });

  test("with filters, without facts and of a chunk that is not sealed, all is read", () => {
    const rows = [1, 2, 3].map((number) => [number, -Infinity, Infinity]);
    const filters = [filter("browser", "eq", "Firefox")];
    expect(divided(seen, dayMs, { filters })).toEqual({ facts: [], rows });
    expect(divided(site, dayMs)).toEqual({ facts: [], rows });
    const careless = seenWith(site, () => factsOf(site, site.chunks.get(1) as Chunk));
    expect(divided(careless, dayMs).rows).toEqual([open]);
  });

  test("a chunk outside the period is in neither", () => {
    expect(divided(seen, dayMs, { period: { startMs: aprilMs, endMs: aprilMs + 1 } })).toEqual({
      facts: [],
      rows: [[3, aprilMs, aprilMs + 1]],
    });
  });
});

type Ask = (site: SiteWithFacts, context: QueryContext) => unknown;

/** How many rows a question reads that has the same answer with facts. */
function readBy(site: Site, seen: SiteWithFacts, ask: Ask): number {
  const context = newContext(seen);
  expect(ask(seen, context)).toEqual(ask(site, newContext(site)));
  expect(context.rowsMatched).toBe(0);
  return context.rowsRead;
}

describe("a question about sealed chunks reads no row of theirs", () => {
  const site = ofTwoMonths();
  const period = { startMs: marchMs, endMs: aprilMs - 1 };
  const asks: Readonly<Record<string, Ask>> = {
    pages: (of, context) => answerList(of, listOf("pages", { period }), context),
    browsers: (of, context) => answerList(of, listOf("browsers", { period }), context),
    time: (of, context) => answerTime(of, { ...everything, list: "time", summary: false, period }, context),
    properties: (of, context) => answerProperties(of, { ...everything, list: "properties", period }, context),
    summary: (of, context) =>
      answerSummary(of, { period, filters: [], previous: false, timezone: "UTC" }, aprilMs, context),
  };
  test.each(Object.entries(asks))("%s", (_, ask) => {
    expect(readBy(site, withFacts(site, [1, 2]), ask)).toBe(0);
    expect(readBy(site, withFacts(site, [2]), ask)).toBeGreaterThan(0);
  });

  test("nor of whole days of theirs", () => {
    // From noon of the second to noon of the fourth.
    const noons = { startMs: marchMs + 1.5 * dayMs, endMs: marchMs + 3.5 * dayMs - 1 };
    const browsers: Ask = (of, context) => answerList(of, listOf("browsers", { period: noons }), context);
    expect(readBy(site, withFacts(site, [1, 2]), browsers)).toBe(2 * 24);
  });
});

test("a dimension with nearly as many values as rows has no facts: its rows answer", () => {
  const site = new Site(1);
  for (let at = 0; at < 100; at++) addView(site, { timeMs: marchMs + at, path: `/${at}` });
  site.seal(aprilMs);
  const seen = withFacts(site, [1]);
  const facts = seen.facts?.ofChunk(site.chunks.get(1) as Chunk);
  expect(facts?.rollup(dimensionIndex.path, "whole")).toBeUndefined();
  expect(readBy(site, seen, (of, context) => answerList(of, listOf("pages"), context))).toBe(100);
});

test("another definition of a visitor than that of the facts reads rows", () => {
  const site = ofTwoMonths();
  for (const seen of [site, withFacts(site, [1, 2])]) {
    const context = newContext(seen);
    const page = new PageCounts(everything, context);
    // As a question would that has visitors by first views, whatever it filters.
    Object.assign(page, { visitor: 2 });
    const groups = site.dictionaries[dimensionIndex.browser]?.size as number;
    const one = {
      column: "client",
      groups,
      of: dimensionIndex.browser,
      groupOf: new Uint32Array(groups),
    } as const;
    const counts = new Counts();
    page.count(counts, { ...one, ofColumn: new Uint32Array(site.tuples.client.size) });
    expect([counts.visitors(0), counts.pageviews(0)]).toEqual([810, 810]);
    expect(page.visitors()).toBe(810);
    expect(context.factsAdded).toBe(0);
  }
});

describe("properties", () => {
  const names = (of: SiteWithFacts, period: Period, context = newContext(of)) =>
    answerProperties(of, { ...everything, list: "properties", period }, context).map(({ name }) => name);

  test("are taken by their own time, not by that of their rows", () => {
    const site = new Site(1);
    const { chunk, row } = addView(site, { timeMs: marchMs, properties: [["first", ""]] });
    // The property is of an event that came after the month.
    site.addProperties({ chunk, row }, { properties: [["later", ""]] }, aprilMs + 5);
    addView(site, { timeMs: marchMs + 1 });
    site.seal(aprilMs + 2 * dayMs);
    const seen = withFacts(site, [1]);
    expect(names(seen, { startMs: marchMs, endMs: aprilMs + 4 })).toEqual(["first"]);
    expect(names(seen, { startMs: marchMs, endMs: aprilMs + 5 })).toEqual(["first", "later"]);
    expect(names(seen, { startMs: marchMs + 1, endMs: aprilMs + 5 })).toEqual(["later"]);
  });

  test("are read neither with facts nor of a chunk that has none", () => {
    const site = new Site(1);
    addView(site, { timeMs: marchMs, properties: [["name", ""]] });
    site.seal(aprilMs + 2 * dayMs);
    addView(site, { timeMs: marchMs + 1 });
    const own = withFacts(site, [1]);
    const context = newContext(own);
    names(own, everything.period, context);
    expect([context.rowsRead, context.factsAdded]).toEqual([0, 1]);
  });
});

describe("a chart of sealed quarters of an hour", () => {
  const minuteMs = 60_000;
  const site = ofTwoMonths();
  const marchOnly = { startMs: marchMs, endMs: aprilMs - 1 };
  const ways = [withFacts(site, [1, 2]), withFacts(site, [1])];

  /** With facts of both chunks and of one: how many rows are read. Medians have each of them read a second time. */
  function chartReads(more: Partial<SummaryQuery>, of: Site = site, seen = ways): number[] {
    const withMedians = readsOf(more, of, seen);
    const read = readsOf({ ...more, metrics: ["pageviews"] }, of, seen);
    expect(withMedians).toEqual(read.map((rows) => 2 * rows));
    return read;
  }

  function readsOf(more: Partial<SummaryQuery>, of: Site, seen: typeof ways): number[] {
    const { interval = "day", ...rest } = more;
    const whole = { period: marchOnly, filters: [], previous: false, timezone: "UTC", ...rest };
    const query = { ...whole, interval };
    return seen.map((way) => {
      // The question asks for totals of the period and of its intervals; these are the intervals'.
      const current: Ask = (asked, context) => answerSummary(asked, whole, aprilMs, context);
      const all: Ask = (asked, context) => answerSummary(asked, query, aprilMs, context);
      return readBy(of, way, all) - (query.filters.length > 0 ? 0 : readBy(of, way, current));
    });
  }

  /** Rows of chunk 2. */
  const second = 400;

  const timezones = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"];
  test.each(timezones)("reads no row of theirs in %s", (timezone) => {
    for (const interval of ["hour", "day", "week", "month"] as const)
      expect(chartReads({ timezone, interval })).toEqual([0, second]);
  });

  test("reads the quarters that the period begins or ends in", () => {
    // A chunk has a row at every hour.
    const period = (fromMinutes: number, toMinutes: number) => ({
      startMs: marchMs + 5 * dayMs + fromMinutes * minuteMs,
      endMs: marchMs + 9 * dayMs + toMinutes * minuteMs - 1,
    });
    const days = 24 * 4;
    expect(chartReads({ period: period(0, 0) })).toEqual([0, days]);
    expect(chartReads({ period: period(1, 0) })).toEqual([0, days - 1]);
    // Each chunk has a row at the first minute of the quarter that it ends in.
    expect(chartReads({ period: period(0, 1) })).toEqual([2, days + 2]);
    expect(chartReads({ period: period(-15, 15) })).toEqual([0, days + 1]);
  });

  test("reads what is open beside it", () => {
    const period = { startMs: marchMs, endMs: aprilMs + dayMs };
    expect(chartReads({ period, interval: "month" })).toEqual([10, 10 + second]);
  });

  test("reads all rows for minutes", () => {
    const period = { startMs: marchMs + 2 * dayMs, endMs: marchMs + 3 * dayMs - 1 };
    expect(chartReads({ period, interval: "minute" })).toEqual([48, 24]);
  });

  test("reads the quarters that an interval begins in, in zones that are not whole quarters ahead", () => {
    const old = new Site(1);
    const startMs = Date.UTC(1969, 11, 20);
    // One row every five minutes for ten days.
    for (let at = 0; at < 10 * 288; at++)
      addView(old, { timeMs: startMs + 5 * at * minuteMs, p: at % 3 > 0, ms: at });
    old.seal(startMs + 100 * dayMs);
    const period = { startMs, endMs: startMs + 10 * dayMs - 1 };
    const read = (timezone: string, interval: IntervalName = "day") =>
      chartReads({ period, timezone, interval }, old, [withFacts(old, [1])]);
    // It is 0:44:30 behind: each of the ten midnights is in a quarter, which has three rows.
    expect(read("Africa/Monrovia")).toEqual([30]);
    expect(read("Africa/Monrovia", "hour")).toEqual([24 * 30]);
    expect(read("Asia/Karachi")).toEqual([0]);
  });

  test("reads all rows where there are filters", () => {
    const filters = [filter("path", "neq", "/1")];
    expect(chartReads({ filters })).toEqual([2 * second, 2 * second]);
  });
});
