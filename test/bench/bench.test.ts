/** The benchmarks, tiny: that they run, repeat themselves and count what they claim; their figures are for `npm run bench`. */
import { describe, expect, test } from "bun:test";
import { benchCheckpoints } from "../../bench/checkpoint.ts";
import { fillSite, pageViews, startMs, endMs } from "../../bench/data.ts";
import { benchIngest } from "../../bench/ingest.ts";
import { median, table } from "../../bench/measure.ts";
import { answerSummary } from "../../src/query/answer.ts";
import { Site } from "../../src/store/site.ts";

describe("the page views", () => {
  test("are the same for the same seed, and others for another", () => {
    const some = (seed: number) => [...pageViews(200, seed)];
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
  });

  test("fill a website over twelve months, in the order of their time", () => {
    const rows = [...pageViews(3_000)];
    const times = rows.map(({ timeMs }) => timeMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const site = new Site(1);
    fillSite(site, rows);
    site.check();
    expect(site.chunks.size).toBe(12);
    const query = { period: { startMs, endMs }, filters: [], previous: false, timezone: "UTC" };
    const { pageviews, visitors } = answerSummary(site, query, endMs).current;
    expect({ pageviews, visitors }).toEqual({
      pageviews: 3_000,
      visitors: rows.filter(({ unique }) => unique).length,
    });
  });
});

test("ingest has every hit answered by a real server, and measures what it took", async () => {
  const result = await benchIngest(500, 8);
  expect(result.hits).toBe(500);
  expect(result.hitsPerSecond).toBeGreaterThan(0);
  expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms);
  expect(result.bytesPerHit).toBeGreaterThan(5);
});

test("checkpoints are of real files, and the later ones of what is new", async () => {
  const { first, later, pages } = await benchCheckpoints(3_000, 100);
  expect(pages).toBe(3_000);
  expect(later).toHaveLength(10);
  // The state, the dictionaries, and the months from November to August.
  expect(first.files).toBe(12);
  for (const { megabytes, pauseMs, writeMs } of later) {
    expect(megabytes).toBeLessThan(first.megabytes / 2);
    expect(Math.min(pauseMs, writeMs)).toBeGreaterThan(0);
  }
});

test("medians and tables", () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  expect(
    table(
      ["a", "b"],
      [
        ["x", 1.234],
        ["long", 1_234],
      ],
    ),
  ).toBe(["| a    | b    |", "| ---- | ---- |", "| x    | 1.23 |", "| long | 1234 |"].join("\n"));
});
