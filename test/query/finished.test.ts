/** What questions take from aggregates, and what they read instead. */
import { describe, expect, test } from "bun:test";
import { dimensionIndex } from "../../src/core/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { IntervalName, Period, Selection, SummaryQuery } from "../../src/core/query.ts";
import { answerList, answerProperties, answerSummary, answerTime } from "../../src/query/answer.ts";
import { Derived } from "../../src/query/derived.ts";
import { finishedIn } from "../../src/query/finished.ts";
import { intervalTotals } from "../../src/query/interval-totals.ts";
import { Work } from "../../src/query/work.ts";
import type { Aggregates, AggregatesSource } from "../../src/store/aggregates.ts";
import type { Chunk } from "../../src/store/chunk.ts";
import type { ReadSite } from "../../src/store/read-site.ts";
import { Site } from "../../src/store/site.ts";
import { addView, everything, filter, listOf, type View } from "../support/site.ts";
import { madeOf, madeOfMonth } from "../support/some-aggregates.ts";

const marchMs = Date.UTC(2026, 2);
const aprilMs = Date.UTC(2026, 3);
const marchAndLater: Period = { startMs: marchMs, endMs: Infinity };

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

/** The website with aggregates of those chunks, by number, and of a month of those. */
function seen(site: Site, chunks: readonly number[], month: readonly number[] = []): ReadSite {
  const made = new Map(
    chunks.map((number) => [number, madeOf(site, site.chunks.get(number) as Chunk)] as const),
  );
  const ofMarch =
    month.length === 0
      ? undefined
      : madeOfMonth(
          site,
          month.map((number) => site.chunks.get(number) as Chunk),
        );
  const aggregates: AggregatesSource = {
    ofChunk: ({ number }) => made.get(number),
    ofMonth: (monthMs) => (monthMs === marchMs ? ofMarch?.month : undefined),
  };
  return Object.create(site, { aggregates: { value: aggregates } }) as ReadSite;
}

/** How many durations each of what is found has, and the numbers of the chunks that are left. */
function finished(site: ReadSite, period: Period, more: Partial<Selection> = {}) {
  const { found, left } = finishedIn(site, { ...everything, period, ...more }, (made) => made.durations());
  return { found: found.map(({ length }) => length), left: left.map(({ chunk }) => chunk.number) };
}

describe("of a period", () => {
  const site = ofTwoMonths();

  test("with all of a month it is found at once", () => {
    expect(finished(seen(site, [1, 2], [1, 2]), everything.period)).toEqual({ found: [800], left: [3] });
  });

  test("with a part of a month its whole chunks are found", () => {
    const fromSecond = { startMs: marchMs + dayMs, endMs: Infinity };
    expect(finished(seen(site, [1, 2], [1, 2]), fromSecond)).toEqual({ found: [400], left: [1, 3] });
    expect(finished(seen(site, [1], [1, 2]), fromSecond)).toEqual({ found: [], left: [1, 2, 3] });
  });

  test("a chunk that a month does not stand for is beside it", () => {
    expect(finished(seen(site, [1, 2], [1]), marchAndLater)).toEqual({ found: [400, 400], left: [3] });
    expect(finished(seen(site, [], [1]), marchAndLater)).toEqual({ found: [400], left: [2, 3] });
  });

  test("a month that stands for a chunk which is not there is of no use", () => {
    const other = ofTwoMonths();
    const with2 = seen(other, [1], [1, 2]);
    other.chunks.delete(2);
    expect(finished(with2, marchAndLater)).toEqual({ found: [400], left: [3] });
  });

  test("nothing is found with filters, without aggregates, or of a chunk that is not sealed", () => {
    const left = [1, 2, 3];
    const filters = [filter("browser", "eq", "Firefox")];
    expect(finished(seen(site, [1, 2], [1, 2]), everything.period, { filters })).toEqual({ found: [], left });
    expect(finished(site, everything.period)).toEqual({ found: [], left });
    const all: AggregatesSource = {
      ofChunk: () => madeOf(site, site.chunks.get(1) as Chunk),
      ofMonth: () => undefined,
    };
    const careless = Object.create(site, { aggregates: { value: all } }) as ReadSite;
    expect(finished(careless, everything.period).left).toEqual([3]);
  });

  test("chunks are asked for where a month has none of it", () => {
    const source = seen(site, [1, 2], [1, 2]);
    const once = (made: Aggregates) => ("chunks" in made ? undefined : made.durations());
    expect(finishedIn(source, { period: marchAndLater, filters: [] }, once).found).toHaveLength(2);
  });
});

describe("a question about finished months reads no row of theirs", () => {
  const site = ofTwoMonths();
  const march = { startMs: marchMs, endMs: aprilMs - 1 };

  function readBy(aggregated: ReadSite, ask: (site: ReadSite, work: Work) => unknown): number {
    const work = new Work(new Derived(0));
    expect(ask(aggregated, work)).toEqual(ask(site, new Work(new Derived(0))));
    expect(work.rowsRecalled).toBe(0);
    expect(work.entriesAdded).toBeGreaterThan(0);
    return work.rowsRead;
  }

  const asks: Readonly<Record<string, (site: ReadSite, work: Work) => unknown>> = {
    pages: (of, work) => answerList(of, listOf("pages", { period: march }), work),
    browsers: (of, work) => answerList(of, listOf("browsers", { period: march }), work),
    time: (of, work) => answerTime(of, { ...everything, list: "time", summary: false, period: march }, work),
    properties: (of, work) =>
      answerProperties(of, { ...everything, list: "properties", period: march }, work),
    summary: (of, work) =>
      answerSummary(of, { period: march, filters: [], previous: false, timezone: "UTC" }, aprilMs, work),
  };
  for (const [name, ask] of Object.entries(asks))
    test(name, () => {
      expect(readBy(seen(site, [1, 2], [1, 2]), ask)).toBe(0);
      expect(readBy(seen(site, [1, 2]), ask)).toBe(0);
      expect(readBy(seen(site, [1], [2]), ask)).toBe(0);
    });

  test("nor of whole days of theirs", () => {
    // From noon of the second to noon of the fourth.
    const period = { startMs: marchMs + 1.5 * dayMs, endMs: marchMs + 3.5 * dayMs - 1 };
    const browsers = (of: ReadSite, work: Work) => answerList(of, listOf("browsers", { period }), work);
    expect(readBy(seen(site, [1, 2]), browsers)).toBe(2 * 24);
  });
});

test("what is not small is read from rows, and not rolled up by each question", () => {
  const site = new Site(1);
  for (let at = 0; at < 100; at++) addView(site, { timeMs: marchMs + at, path: `/${at}` });
  site.seal(aprilMs);
  const aggregated = seen(site, [1]);
  expect(
    aggregated.aggregates?.ofChunk(site.chunks.get(1) as Chunk)?.rollup(dimensionIndex.path, "whole"),
  ).toBe(undefined);
  const work = new Work(new Derived(1_000_000));
  const ask = (work: Work) => answerList(aggregated, listOf("pages"), work);
  expect(ask(work)).toEqual(answerList(site, listOf("pages"), new Work(new Derived(0))));
  expect(work.rowsRead).toBe(100);
});

test("a month is taken by the time of its properties, not of its rows", () => {
  const site = new Site(1);
  const { chunk, row } = addView(site, { timeMs: marchMs, properties: [["first", ""]] });
  // Of an event that came after the month.
  site.addProperties({ chunk, row }, [["later", ""]], aprilMs + 5);
  addView(site, { timeMs: marchMs + 1 });
  site.seal(aprilMs + 2 * dayMs);
  const aggregated = seen(site, [1], [1]);
  const names = (endMs: number) => {
    const query = { ...everything, list: "properties" as const, period: { startMs: marchMs, endMs } };
    return answerProperties(aggregated, query, new Work(new Derived(0))).map(({ name }) => name);
  };
  expect(names(aprilMs + 4)).toEqual(["first"]);
  expect(names(aprilMs + 5)).toEqual(["first", "later"]);
});

test("chunks without properties leave a month whole", () => {
  const site = new Site(1);
  addView(site, { timeMs: marchMs, properties: [["name", ""]] });
  site.seal(aprilMs + 2 * dayMs);
  addView(site, { timeMs: marchMs + 1 });
  site.seal(aprilMs + 2 * dayMs);
  const work = new Work(new Derived(0));
  const query = { ...everything, list: "properties" as const, period: { startMs: marchMs, endMs: aprilMs } };
  answerProperties(seen(site, [], [1, 2]), query, work);
  expect([work.rowsRead, work.entriesAdded]).toEqual([0, 1]);
});

describe("a chart of finished quarters of an hour", () => {
  const minuteMs = 60_000;
  const site = ofTwoMonths();

  const marchOnly = { startMs: marchMs, endMs: aprilMs - 1 };
  const ways = [seen(site, [1, 2]), seen(site, [1, 2], [1, 2]), seen(site, [2], [1]), seen(site, [1])];

  /** With aggregates of chunks, of the month, of some of both, and of one chunk alone: how many rows are read. */
  function readBy(more: Partial<SummaryQuery>, of: Site = site, aggregated = ways): number[] {
    const { period = marchOnly, interval = "day" } = more;
    const query: SummaryQuery = { period, filters: [], previous: false, timezone: "UTC", ...more };
    const ask = (asked: ReadSite, work: Work) => intervalTotals(asked, query, interval, aprilMs, work);
    const rows = ask(of, new Work(new Derived(0)));
    return aggregated.map((way) => {
      const work = new Work(new Derived(0));
      expect(ask(way, work)).toEqual(rows);
      expect(work.rowsRecalled).toBe(0);
      return work.rowsRead;
    });
  }

  /** Rows of chunk 2; of a chart rows are read for its counts, and for its durations. */
  const second = 2 * 400;

  const timezones = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns"];
  for (const timezone of timezones)
    test(`reads no row of theirs in ${timezone}`, () => {
      for (const interval of ["hour", "day", "week", "month"] as const)
        expect(readBy({ timezone, interval })).toEqual([0, 0, 0, second]);
    });

  test("reads the quarters that the period begins or ends in", () => {
    // A chunk has a row at every hour.
    const period = (fromMinutes: number, toMinutes: number) => ({
      startMs: marchMs + 5 * dayMs + fromMinutes * minuteMs,
      endMs: marchMs + 9 * dayMs + toMinutes * minuteMs - 1,
    });
    const days = 2 * 24 * 4;
    expect(readBy({ period: period(0, 0) })).toEqual([0, 0, 0, days]);
    expect(readBy({ period: period(1, 0) })).toEqual([0, 0, 0, days - 2]);
    // Each chunk has a row at the first minute of the quarter that it ends in.
    expect(readBy({ period: period(0, 1) })).toEqual([4, 4, 4, days + 4]);
    expect(readBy({ period: period(-1, 14) })).toEqual([4, 4, 4, days + 4]);
    expect(readBy({ period: period(-15, 15) })).toEqual([0, 0, 0, days + 2]);
    const within = { startMs: marchMs + 5 * dayMs, endMs: marchMs + 5 * dayMs + 14 * minuteMs };
    expect(readBy({ period: within })).toEqual([4, 4, 4, 4]);
  });

  test("has a month for a period that leaves out some of its chunks", () => {
    const period = { startMs: marchMs, endMs: marchMs + dayMs - 1 };
    expect(readBy({ period })).toEqual([0, 0, 0, 0]);
    expect(readBy({ period, interval: "hour" })).toEqual([0, 0, 0, 0]);
  });

  test("reads what is open beside it", () => {
    const period = { startMs: marchMs, endMs: aprilMs + dayMs };
    expect(readBy({ period, interval: "month" })).toEqual([20, 20, 20, 20 + second]);
  });

  test("reads all rows for minutes", () => {
    const period = { startMs: marchMs + 2 * dayMs, endMs: marchMs + 3 * dayMs - 1 };
    expect(readBy({ period, interval: "minute" })).toEqual([96, 96, 96, 96]);
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
      readBy({ period, timezone, interval }, old, [seen(old, [1]), seen(old, [1], [1])]);
    // It is 0:44:30 behind: each of the ten midnights is in a quarter, which has three rows.
    expect(read("Africa/Monrovia")).toEqual([60, 60]);
    expect(read("Africa/Monrovia", "hour")).toEqual([24 * 60, 24 * 60]);
    expect(read("Asia/Karachi")).toEqual([0, 0]);
  });

  test("reads all rows where there are filters", () => {
    const filters = [filter("path", "neq", "/1")];
    expect(readBy({ filters })).toEqual([2 * second, 2 * second, 2 * second, 2 * second]);
  });
});
