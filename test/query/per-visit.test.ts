/** Views and time per visit, where some page views have no visit, and some visits no known time. */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { MetricName } from "../../src/core/questions/metric.ts";
import type { Question } from "../../src/core/questions/query.ts";
import type { SiteWithFacts } from "../../src/facts/facts.ts";
import { QuestionPage } from "../../src/query/answers/answer.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { ReducedMonth } from "../../src/store/state/reduced-month.ts";
import { Site } from "../../src/store/state/site.ts";
import { valuesOf } from "../support/records.ts";
import { reduceMonths } from "../support/reduced.ts";
import { withFacts } from "../support/some-facts.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const marchMs = Date.UTC(2026, 2);
const aprilMs = Date.UTC(2026, 3);
const mayMs = Date.UTC(2026, 4);
const march = { startMs: marchMs, endMs: aprilMs - 1 };
const metrics: readonly MetricName[] = ["pageviews", "visits", "views_per_visit", "time_per_visit"];

interface Row {
  readonly day: number;
  readonly path?: string;
  readonly visit?: number;
  readonly ms?: number;
  readonly bare?: true;
}

/** A tracked visit, one of an access log, an event alone, and page views from before visits were switched on. */
const rows: readonly Row[] = [
  { day: 1, ms: 30_000 },
  { day: 1, ms: 10_000, path: "/docs" },
  { day: 1 },
  { day: 2, visit: 1, ms: 60_000 },
  { day: 2, visit: 1, ms: 20_000, path: "/docs" },
  { day: 2, visit: 1, path: "/docs" },
  { day: 2, visit: 2, path: "/docs" },
  { day: 3, visit: 3, bare: true },
  { day: 4, visit: 4 },
];

/** Facts have sums only of values that have eight rows. */
const copies = 16;

/** Returns a website that has each row so many times, in as many visits. */
function siteOf(views: readonly Row[]): Site {
  const site = new Site(1);
  for (let copy = 0; copy < copies; copy++)
    for (const { day, path = "/", visit = 0, ms, bare } of views) {
      const timeMs = marchMs + day * dayMs + copy;
      const ofVisit = { visit: visit && visit + 10 * copy };
      const ref = site.addRow(timeMs, valuesOf(path), bare ? rowFlag.bare : rowFlag.first, ofVisit);
      if (ms !== undefined) ref.chunk.addDuration(ref.row, ms);
    }
  return site;
}

/** The same rows in a month that can be reduced, and rows of the next one. */
function reduced(views: readonly Row[], later: readonly Row[] = [{ day: 40, visit: 9, ms: 5_000 }]): Site {
  const site = siteOf([...views, ...later]);
  site.seal(mayMs + 40 * dayMs);
  reduceMonths(site, aprilMs);
  expect(site.reduced.size).toBe(1);
  return site;
}

/** The website as a program wrote it that kept no times of visits. */
function fromBefore(site: Site): Site {
  for (const { head, file, read } of [...site.reduced.values()]) {
    const all = read() as ReadonlyMap<string, Uint8Array>;
    const sections = new Map([...all].filter(([name]) => !name.startsWith("timed ")));
    expect(sections.size).toBeLessThan(all.size);
    site.addMonth(new ReducedMonth(head, file, () => sections));
  }
  return site;
}

const asked = { period: march, filters: [], metrics };

function answer(site: SiteWithFacts, question: object) {
  const context = new QueryContext(site, new QueryCache(0));
  const own = { ...asked, previous: false, ...question } as unknown as Question;
  const found = new QuestionPage([own], context).answer(own);
  return { found: ofOneCopy(found), factsAdded: context.factsAdded, isApproximate: context.isApproximate };
}

/** Returns an answer with the counts of one copy. */
function ofOneCopy(found: unknown): unknown {
  const text = JSON.stringify(found, (name, value: unknown) =>
    name === "pageviews" || name === "visits" ? (value as number) / copies : value,
  );
  return JSON.parse(text);
}

const firstHit = new Date(marchMs + dayMs).toISOString();
const summary = { list: "summary", nowMs: mayMs };
const byPath = { list: "pages", limit: 10, offset: 0, grouped: true, locale: false };
const byBrowser = { ...byPath, list: "browsers" };

/** Three of 8 page views belong to no visit, and of 4 visits one has a time: 80 s, the other 40 s are of none. */
const totals = { pageviews: 8, visits: 4, views_per_visit: 1.25, time_per_visit: 80_000 };
const pages = [
  { path: "/", pageviews: 4, visits: 3, views_per_visit: 0.67, time_per_visit: 60_000 },
  { path: "/docs", pageviews: 4, visits: 2, views_per_visit: 1.5, time_per_visit: 20_000 },
];
const days = [
  { pageviews: 0, visits: 0 },
  { pageviews: 3, visits: 0 },
  { pageviews: 4, visits: 2, views_per_visit: 2, time_per_visit: 80_000 },
  { pageviews: 0, visits: 1, views_per_visit: 0 },
  { pageviews: 1, visits: 1, views_per_visit: 1 },
];

/** The same rows in each form that an answer comes from. */
const forms: Readonly<Record<string, () => SiteWithFacts>> = {
  rows: () => siteOf(rows),
  facts: () => {
    const site = siteOf(rows);
    sealAndStore(site, mayMs);
    return withFacts(site, [...site.chunks.keys()]);
  },
  "a month without rows": () => reduced(rows),
};

describe.each(Object.entries(forms))("from %s", (name, siteFrom) => {
  const isExact = (question: object) => {
    const { found, factsAdded, isApproximate } = answer(siteFrom(), question);
    expect([name, factsAdded > 0, isApproximate]).toEqual([name, name !== "rows", false]);
    return found;
  };

  test("totals leave out page views without a visit, and visits without a time", () => {
    expect(isExact(summary)).toEqual({ current: totals, recorded_from: firstHit });
  });

  test("values and days do too, and what has no base is missing", () => {
    expect(isExact(byPath)).toEqual(pages);
    expect(isExact(byBrowser)).toEqual([{ browser: "Firefox", ...totals }]);
    // A visit may have two channels, so that months without rows have them as close.
    const channels = answer(siteFrom(), { ...byBrowser, list: "channels" });
    expect(channels.found).toEqual([{ channel: "Direct", ...totals }]);
    const { interval } = isExact({ ...summary, interval: "day", timezone: "UTC" }) as {
      interval: { date: string }[];
    };
    expect(interval.slice(0, 5).map(({ date: _, ...figures }) => figures)).toEqual(days);
  });
});

describe("visits that go on over midnight", () => {
  const [evening, night] = [1430 / 1440, 1 + 10 / 1440];
  /** Both rows of a visit have a time, or only the first; two visits go on in the next month. */
  const nights: readonly Row[] = [
    { day: 0, visit: 1, ms: 1_000 },
    { day: 9 + evening, visit: 2, ms: 10_000 },
    { day: 9 + night, visit: 2 },
    { day: 19 + evening, visit: 3, ms: 20_000 },
    { day: 19 + night, visit: 3, ms: 30_000 },
    { day: 30 + evening, visit: 4, ms: 40_000 },
    { day: 30 + night, visit: 4 },
    { day: 30 + evening, visit: 5, ms: 50_000 },
    { day: 30 + night, visit: 5, ms: 60_000 },
  ];
  const withAllFacts = () => {
    const site = siteOf(nights);
    sealAndStore(site, mayMs + 40 * dayMs);
    return withFacts(site, [...site.chunks.keys()]);
  };
  const allTime = { startMs: marchMs, endMs: mayMs - 1 };
  const fromTheFifth = { ...allTime, startMs: marchMs + 4 * dayMs };
  const inMarch = { ...fromTheFifth, endMs: aprilMs - 1 };

  test.each([
    ["all time", allTime, { pageviews: 9, visits: 5, views_per_visit: 1.8, time_per_visit: 42_200 }],
    ["some days", fromTheFifth, { pageviews: 8, visits: 4, views_per_visit: 2, time_per_visit: 52_500 }],
    ["days of March", inMarch, { pageviews: 6, visits: 4, views_per_visit: 1.5, time_per_visit: 37_500 }],
  ])("count once in %s", (_, period, expected) => {
    for (const site of [siteOf(nights), withAllFacts(), reduced(nights, [])]) {
      expect(answer(site, { ...summary, period }).found).toEqual({ current: expected });
      expect(answer(site, { ...byBrowser, period }).found).toEqual([{ browser: "Firefox", ...expected }]);
      const channels = { ...byBrowser, list: "channels", period };
      expect(answer(site, channels).found).toEqual([{ channel: "Direct", ...expected }]);
    }
  });
});

test("a filter selects among them", () => {
  const filters = [{ name: "path", operator: "eq", operands: ["/docs"] }];
  const { path: _, ...docs } = pages[1]!;
  const found = { current: docs, recorded_from: firstHit };
  expect(answer(siteOf(rows), { ...summary, filters }).found).toEqual(found);
  expect(answer(siteOf(rows), { ...byPath, filters }).found).toEqual([pages[1]]);
});

describe("a month of a file from before", () => {
  test("divides all by all, and says that it is not exact", () => {
    const expected = { ...totals, views_per_visit: 2, time_per_visit: 30_000 };
    const site = fromBefore(reduced(rows));
    expect(answer(site, summary)).toMatchObject({
      found: { current: expected, approximate: true },
      isApproximate: true,
    });
    expect(answer(site, byBrowser)).toMatchObject({
      found: [{ browser: "Firefox", ...expected }],
      isApproximate: true,
    });
  });

  test("has no time where none is known of the value", () => {
    const untimed = rows.map(({ ms: _, ...row }) => row);
    const site = fromBefore(reduced([...untimed, { day: 5, visit: 5, ms: 8_000, path: "/read" }]));
    expect(answer(site, byPath).found).toEqual([
      { path: "/", pageviews: 4, visits: 3, views_per_visit: 1.33 },
      { path: "/docs", pageviews: 4, visits: 2, views_per_visit: 2 },
      { path: "/read", pageviews: 1, visits: 1, views_per_visit: 1, time_per_visit: 8_000 },
    ]);
  });

  test("says nothing of it where neither figure is asked for", () => {
    const exact = { ...summary, metrics: ["pageviews", "visits"] };
    expect(answer(fromBefore(reduced(rows)), exact)).toMatchObject({
      found: { current: { pageviews: 8, visits: 4 } },
      isApproximate: false,
    });
  });
});
