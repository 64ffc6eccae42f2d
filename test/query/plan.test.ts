import { describe, expect, test } from "bun:test";
import { dimensionIndex, dimensions } from "../../src/core/dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import type { Period } from "../../src/core/query.ts";
import { answerList } from "../../src/query/answer.ts";
import { Derived } from "../../src/query/derived.ts";
import { planOf, uniqueOf } from "../../src/query/plan.ts";
import { Work } from "../../src/query/work.ts";
import { chunkRowsMax, rowFlag } from "../../src/store/chunk.ts";
import { Site } from "../../src/store/site.ts";
import { addView, everything, filter, listOf, siteOf } from "../support/site.ts";

const mebibyte = 1024 * 1024;
const marchMs = Date.UTC(2026, 2);
const aprilMs = Date.UTC(2026, 3);
const hourMs = dayMs / 24;

/** Ten views an hour of the whole of March, and one of April that ends it. */
function march(lastMs = aprilMs + dayMs): Site {
  const views = Array.from({ length: 31 * 240 }, (_, at) => ({
    timeMs: marchMs + at * (hourMs / 10),
    p: at % 3 === 0,
  }));
  return siteOf(...views, { timeMs: lastMs });
}

/** Rows that are read as [chunk, from, to], and stretches that are added as [first, end]. */
function plan(site: Site, period: Period = everything.period, work = new Work(new Derived(mebibyte))) {
  const { read, added } = planOf(site, { period, filters: [] }, dimensionIndex.browser, rowFlag.unique, work);
  return {
    read: read.filter(({ from, to }) => from < to).map(({ chunk, from, to }) => [chunk.number, from, to]),
    added: added.map(({ firstStretch, endStretch }) => [firstStretch, endStretch]),
    visitors: added.reduce((sum, part) => sum + uniqueOf(part), 0),
  };
}

describe("a chunk", () => {
  test("that takes no more hits is added whole", () => {
    expect(plan(march())).toEqual({ read: [[2, 0, 1]], added: [[0, 1]], visitors: 31 * 80 });
  });

  test("is read until a day after its newest row, when no unload can come any more", () => {
    const site = march(aprilMs + dayMs - hourMs / 10);
    expect(plan(site)).toEqual({
      read: [
        [1, 0, 31 * 240],
        [2, 0, 1],
      ],
      added: [],
      visitors: 0,
    });
    expect(plan(march(aprilMs + dayMs - hourMs / 10 + 1)).added).toEqual([[0, 1]]);
  });

  test("that is full is added, whatever its month has after it", () => {
    const site = new Site(1);
    for (let row = 0; row < chunkRowsMax; row++) addView(site, { timeMs: marchMs + row });
    addView(site, { timeMs: marchMs + chunkRowsMax - 1 + dayMs });
    expect(plan(site).added).toEqual([]);
    addView(site, { timeMs: marchMs + chunkRowsMax + dayMs });
    expect(plan(site)).toMatchObject({ read: [[2, 0, 2]], added: [[0, 1]] });
  });

  test("of rows in no order is added whole or read", () => {
    const site = march();
    addView(site, { timeMs: marchMs + 5 });
    expect(plan(site).added).toEqual([[0, 1]]);
    const half = { startMs: marchMs, endMs: marchMs + 15 * dayMs };
    expect(plan(site, half)).toEqual({ read: [[1, 0, 31 * 240 + 1]], added: [], visitors: 0 });
  });

  test("whose rollup would be too large is read", () => {
    const site = siteOf(
      ...Array.from({ length: 100 }, (_, at) => ({ timeMs: marchMs + at, browser: `b${at}` })),
      { timeMs: aprilMs + dayMs },
    );
    expect(plan(site).added).toEqual([]);
  });

  test("that changed after it was added is added as it is now", () => {
    const site = march();
    const work = new Work(new Derived(mebibyte));
    expect(plan(site, everything.period, work).visitors).toBe(31 * 80);
    addView(site, { timeMs: aprilMs - 1 });
    expect(plan(site, everything.period, work).visitors).toBe(31 * 80 + 1);
  });
});

describe("days", () => {
  const site = march();
  const days = (from: number, to: number) => ({
    startMs: marchMs + from * dayMs,
    endMs: marchMs + to * dayMs - 1,
  });

  test("that a period has whole are added, and its ragged ends are read", () => {
    expect(plan(site, days(2, 5))).toEqual({ read: [], added: [[2, 5]], visitors: 3 * 80 });
    expect(plan(site, days(2.5, 5.25))).toEqual({
      read: [
        [1, 600, 720],
        [1, 1_200, 1_260],
      ],
      added: [[3, 5]],
      visitors: 160,
    });
    expect(plan(site, days(-9, 1))).toEqual({ read: [], added: [[0, 1]], visitors: 80 });
    expect(plan(site, days(30, 31.5))).toEqual({ read: [], added: [[30, 31]], visitors: 80 });
  });

  test("are whole only to the millisecond", () => {
    const { startMs, endMs } = days(2, 3);
    expect(plan(site, { startMs: startMs + 1, endMs })).toMatchObject({ read: [[1, 481, 720]], added: [] });
    expect(plan(site, { startMs, endMs: endMs - hourMs / 10 })).toMatchObject({
      read: [[1, 480, 719]],
      added: [],
    });
  });

  test("that a period has no whole one of are read", () => {
    expect(plan(site, days(2.1, 3.9))).toEqual({ read: [[1, 504, 936]], added: [], visitors: 0 });
    expect(plan(site, { startMs: marchMs + 1, endMs: marchMs + 2 })).toEqual({
      read: [],
      added: [],
      visitors: 0,
    });
  });
});

test("filters read everything", () => {
  const work = new Work(new Derived(mebibyte));
  answerList(march(), listOf("browsers", { filters: [filter("os", "eq", "linux")] }), work);
  expect([work.rowsRead, work.entriesAdded]).toEqual([31 * 240 + 1, 0]);
});

test("without a budget everything is read", () => {
  expect(plan(march(), everything.period, new Work(new Derived(0))).added).toEqual([]);
});

test("every list is added up, and says so", () => {
  const site = march();
  const derived = new Derived(mebibyte);
  for (const { list } of dimensions)
    for (const read of [31 * 240 + 1, 1]) {
      const work = new Work(derived);
      answerList(site, listOf(list), work);
      expect(work.description()).toBe(`${read} rows read, 0 known to match, 1 entries of rollups added`);
    }
});
