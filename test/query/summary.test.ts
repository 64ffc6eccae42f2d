import { describe, expect, test } from "bun:test";
import type { SummaryQuery } from "../../src/core/questions/query.ts";
import { Refusal } from "../../src/core/refusal.ts";
import { visitorsIn } from "../../src/query/answers/summary.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerSummary } from "../support/answers.ts";
import { noonMs } from "../support/records.ts";
import { everything, filter, siteOf } from "../support/site.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

function summary(site: Site, more: Partial<SummaryQuery> = {}, nowMs = noonMs) {
  const { period, filters } = everything;
  return answerSummary(site, { period, filters, previous: false, timezone: "UTC", ...more }, nowMs);
}

const site = siteOf(
  { timeMs: noonMs - dayMs, ms: 1_000 },
  { timeMs: noonMs - 1, ms: 4_000 },
  { timeMs: noonMs, ms: 9_001 },
  { timeMs: noonMs, path: "/a", p: false, q: false, ms: 10_000 },
  { timeMs: noonMs, path: "/b", p: false, q: true },
);

test("totals, their duration a median", () => {
  expect(summary(site)).toStrictEqual({
    current: { visitors: 3, pageviews: 5, bounce_percentage: 66.67, duration: 6_501 },
  });
});

test("a website without page views has zeros", () => {
  const zeros = { visitors: 0, pageviews: 0, bounce_percentage: 0, duration: 0 };
  expect(summary(siteOf())).toStrictEqual({ current: zeros });
});

test("filters hold, and a positive one on the path makes visitors first views", () => {
  expect(summary(site, { filters: [filter("path", "eq", "/a")] }).current).toMatchObject({ visitors: 1 });
  expect(summary(site, { filters: [filter("path", "neq", "/")] }).current).toMatchObject({
    visitors: 0,
    pageviews: 2,
  });
});

describe("previous", () => {
  test("is as long and ends a millisecond before", () => {
    const period = { startMs: noonMs, endMs: noonMs + dayMs - 1 };
    expect(summary(site, { period, previous: true })).toMatchObject({
      current: { pageviews: 3 },
      previous: { pageviews: 2 },
    });
    const shorter = { startMs: noonMs, endMs: noonMs + dayMs - 2 };
    expect(summary(site, { period: shorter, previous: true }).previous).toMatchObject({ pageviews: 1 });
    const instant = { startMs: noonMs, endMs: noonMs };
    expect(summary(site, { period: instant, previous: true }).previous).toMatchObject({ pageviews: 1 });
  });

  test("needs both ends", () => {
    for (const period of [
      { startMs: -Infinity, endMs: noonMs },
      { startMs: noonMs, endMs: Infinity },
    ])
      expect(() => summary(site, { period, previous: true })).toThrow(Refusal);
  });
});

describe("compare", () => {
  const own = { startMs: noonMs, endMs: noonMs + dayMs - 1 };
  const recorded = (startMs: number, endMs: number, of = site) =>
    summary(of, { period: own, compare: { startMs, endMs } }).recorded_from;

  test("says when the first hit came, if the other period begins earlier", () => {
    const firstMs = Math.min(...site.chunks.values().map(({ minMs }) => minMs));
    const first = new Date(firstMs).toISOString();
    expect(recorded(firstMs, noonMs - 1)).toBeUndefined();
    expect(recorded(firstMs - 1, noonMs - 1)).toBe(first);
    expect(recorded(firstMs - dayMs, firstMs - 1)).toBe(first);
    expect(recorded(-Infinity, noonMs - 1)).toBeUndefined();
    expect(recorded(noonMs - dayMs, noonMs - 1, siteOf())).toBeUndefined();
    const early = { period: { startMs: firstMs - dayMs, endMs: firstMs - 1 } };
    const compare = { startMs: firstMs - 2 * dayMs, endMs: firstMs - dayMs - 1 };
    expect(summary(site, { ...early, compare }).recorded_from).toBeUndefined();
    expect(summary(site, { period: own, previous: true })).not.toHaveProperty("recorded_from");
  });

  test("and metrics by name say so of the period itself, under whatever filters", () => {
    const firstMs = Math.min(...site.chunks.values().map(({ minMs }) => minMs));
    const since = (startMs: number, more: Partial<SummaryQuery> = {}) =>
      summary(site, { period: { startMs, endMs: Infinity }, metrics: ["visitors"], ...more }).recorded_from;
    expect(since(firstMs)).toBeUndefined();
    expect(since(-Infinity)).toBeUndefined();
    expect(since(firstMs - 1)).toBe(new Date(firstMs).toISOString());
    expect(since(firstMs - 1, { metrics: undefined })).toBeUndefined();
  });
});

describe("interval", () => {
  const views = (more: Partial<SummaryQuery>, nowMs?: number) =>
    summary(site, more, nowMs).interval?.map(({ date, pageviews }) => [date, pageviews]);

  test("from the first hit to now", () => {
    expect(views({ interval: "day" })).toEqual([
      ["2026-03-14T00:00:00+00:00", 1],
      ["2026-03-15T00:00:00+00:00", 4],
    ]);
  });
  test("from the first hit that there is, whatever is filtered", () => {
    expect(views({ interval: "day", filters: [filter("path", "eq", "/a")] })).toEqual([
      ["2026-03-14T00:00:00+00:00", 0],
      ["2026-03-15T00:00:00+00:00", 1],
    ]);
  });
  test("no interval at all where there is no hit and no start", () => {
    expect(summary(siteOf(), { interval: "day" }).interval).toEqual([]);
    const period = { startMs: noonMs, endMs: noonMs };
    expect(summary(siteOf(), { interval: "day", period }).interval).toHaveLength(1);
  });
  test("none where the period begins after now", () => {
    expect(views({ interval: "day", period: { startMs: noonMs + 1, endMs: Infinity } })).toEqual([]);
  });
  test("counts nothing after now in the last one", () => {
    expect(views({ interval: "month" }, noonMs - 1)).toEqual([["2026-03-01T00:00:00+00:00", 2]]);
  });
  test("whole calendar intervals, of which rows outside of the period are not counted", () => {
    const period = { startMs: noonMs, endMs: noonMs + dayMs };
    expect(views({ interval: "day", period })).toEqual([
      ["2026-03-15T00:00:00+00:00", 3],
      ["2026-03-16T00:00:00+00:00", 0],
    ]);
  });
  test("all figures of each, their duration a median", () => {
    const period = { startMs: noonMs - 1, endMs: noonMs };
    expect(summary(site, { interval: "hour", period }).interval).toStrictEqual([
      {
        date: "2026-03-15T11:00:00+00:00",
        visitors: 1,
        pageviews: 1,
        bounce_percentage: 100,
        duration: 4_000,
      },
      { date: "2026-03-15T12:00:00+00:00", visitors: 1, pageviews: 3, bounce_percentage: 0, duration: 9_501 },
    ]);
  });
  test("rows that are not in the order of time are each in their own", () => {
    const mixed = siteOf(...[3, 0, 2, 0, 1].map((days) => ({ timeMs: noonMs - days * dayMs })));
    expect(summary(mixed, { interval: "day" }).interval?.map(({ pageviews }) => pageviews)).toEqual([
      1, 1, 1, 2,
    ]);
  });
  test("add up to the totals", () => {
    const many = siteOf(
      ...Array.from({ length: 9_000 }, (_, at) => ({ timeMs: noonMs - at * 600_000, p: at % 3 === 0 })),
    );
    const { current, interval } = summary(many, { interval: "day", timezone: "Asia/Kathmandu" });
    const sum = (field: "visitors" | "pageviews") => interval?.reduce((total, row) => total + row[field], 0);
    expect([sum("visitors"), sum("pageviews")]).toEqual([current.visitors, current.pageviews]);
  });
});

test("visitors in a period are loads with p, both ends inclusive", () => {
  expect(visitorsIn(site, { startMs: noonMs - 1, endMs: noonMs })).toBe(2);
  expect(visitorsIn(site, { startMs: noonMs, endMs: noonMs })).toBe(1);
  expect(visitorsIn(site, { startMs: -Infinity, endMs: Infinity })).toBe(3);
});
