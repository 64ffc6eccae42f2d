import { describe, expect, test } from "bun:test";
import type { TimeRow } from "../../src/core/questions/answer.ts";
import type { TimeQuery } from "../../src/core/questions/query.ts";
import type { Site } from "../../src/store/state/site.ts";
import { answerTime } from "../support/answers.ts";
import { everything, filter, siteOf } from "../support/site.ts";

function time(site: Site, more: Partial<TimeQuery> = {}): TimeRow[] {
  return answerTime(site, { ...everything, list: "time", summary: false, ...more });
}

const site = siteOf(
  { path: "/long", ms: 1_000 },
  { path: "/long", ms: 2_000, p: false, q: true },
  { path: "/long", ms: 4_000, p: false, q: false },
  { path: "/long" },
  { path: "/short", ms: 1 },
  { path: "/short", ms: 2 },
  { path: "/never" },
);

test("median, quartiles, share of the time and first views", () => {
  expect(time(site)).toStrictEqual([
    {
      path: "/long",
      duration: 2_000,
      duration_percentage: 99.96,
      visitors: 3,
      duration_lower_quartile: 1_500,
      duration_upper_quartile: 3_000,
    },
    {
      path: "/short",
      duration: 2,
      duration_percentage: 0.04,
      visitors: 2,
      duration_lower_quartile: 1,
      duration_upper_quartile: 2,
    },
  ]);
});

test("of a summary only the path, its median and share", () => {
  expect(time(site, { summary: true, limit: 1 })).toStrictEqual([
    { path: "/long", duration: 2_000, duration_percentage: 99.96 },
  ]);
});

test("a page without a known time has no row, one whose time is zero has", () => {
  expect(time(siteOf({ path: "/zero", ms: 0 }, { path: "/never" }))).toMatchObject([
    { path: "/zero", duration: 0, duration_percentage: 0 },
  ]);
});

describe("order", () => {
  const paths = (rows: readonly TimeRow[]) => rows.map(({ path }) => path);

  test("by share, then median, then path", () => {
    const tied = siteOf(
      { path: "/b", ms: 100 },
      { path: "/a", ms: 100 },
      { path: "/0", ms: 50 },
      { path: "/0", ms: 50 },
      { path: "/more", ms: 101 },
    );
    expect(paths(time(tied))).toEqual(["/more", "/a", "/b", "/0"]);
  });

  test("by the unrounded share", () => {
    const close = siteOf({ path: "/a", ms: 1_000_000 }, { path: "/b", ms: 1_000_001 });
    const rows = time(close);
    expect(paths(rows)).toEqual(["/b", "/a"]);
    expect(rows[0]?.duration_percentage).toBe(rows[1]?.duration_percentage as number);
  });

  test("paging gives every row once, ties too", () => {
    const many = siteOf(...Array.from({ length: 400 }, (_, at) => ({ path: `/${at % 200}`, ms: at % 5 })));
    const pages = Array.from({ length: 29 }, (_, page) => time(many, { limit: 7, offset: page * 7 }));
    expect(pages.flat()).toEqual(time(many));
    expect(pages.flat()).toHaveLength(200);
  });
});

test("the share is of all selected page views", () => {
  const rows = time(siteOf({ path: "/a", ms: 1 }, { path: "/b", ms: 3 }), {
    filters: [filter("path", "eq", "/a")],
  });
  expect(rows).toMatchObject([{ path: "/a", duration_percentage: 100 }]);
});

test("a page's exact quartiles, however many times it has", () => {
  const count = 20_001;
  const many = siteOf(...Array.from({ length: count }, (_, at) => ({ ms: (at * 7_919) % count })));
  expect(time(many)).toMatchObject([
    { duration: 10_000, duration_lower_quartile: 5_000, duration_upper_quartile: 15_000 },
  ]);
});
