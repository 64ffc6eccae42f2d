import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Derived } from "../../src/query/derived.ts";
import { rangesOf } from "../../src/query/range.ts";
import { sieveOf } from "../../src/query/select.ts";
import { durationsIn, quantilesOf } from "../../src/query/sorted-durations.ts";
import { sortDurations } from "../../src/store/sorted-durations.ts";
import { Work } from "../../src/query/work.ts";
import type { Site } from "../../src/store/site.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";
import { noonMs } from "../support/records.ts";
import { seed } from "../support/seed.ts";

const shares = [0, 0.25, 0.5, 0.75, 1];

/** By the definition: at (n - 1) p of the sorted values, between two of them in proportion. */
function expected(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  return Math.floor(low + (high - low) * (at % 1) + 0.5);
}

describe("quantiles of many parts", () => {
  const duration = fc.oneof(
    fc.nat(20),
    fc.nat(86_400_000),
    fc.constantFrom(0, 65_535, 65_536, 65_537, 131_071, 131_072, 86_400_000),
  );

  test("are those of all their values together", () => {
    fc.assert(
      fc.property(fc.array(fc.array(duration, { maxLength: 40 }), { maxLength: 6 }), (parts) => {
        const sorted = parts.map((values) => sortDurations(Uint32Array.from(values)));
        const all = parts.flat();
        const wanted = shares.map((share) => (all.length === 0 ? 0 : expected(all, share)));
        expect(quantilesOf(sorted, shares)).toEqual(wanted);
      }),
      { seed: seed(), numRuns: 300 },
    );
  });

  test("of many equal and few other values", () => {
    const parts = [[7, 7, 7, 7, 7], [7, 7, 70_007], [5]];
    const sorted = parts.map((values) => sortDurations(Uint32Array.from(values)));
    expect(quantilesOf(sorted, shares)).toEqual([5, 7, 7, 7, 70_007]);
  });

  test("of none are 0", () => {
    expect(quantilesOf([], shares)).toEqual([0, 0, 0, 0, 0]);
    expect(quantilesOf([sortDurations(new Uint32Array(0))], [0.5])).toEqual([0]);
  });
});

test("two bytes are kept of each, and where those with the same upper bits end", () => {
  const { ends, low } = sortDurations(Uint32Array.of(3, 200_000, 65_536, 1));
  expect([...low]).toEqual([1, 3, 0, 200_000 - 3 * 65_536]);
  expect([...ends]).toEqual([2, 3, 3, 4]);
});

describe("the durations of a website", () => {
  function ofTwoMonths(): Site {
    const views = Array.from({ length: 500 }, (_, at) => ({
      timeMs: noonMs + at,
      browser: `b${at % 5}`,
      ...(at % 2 === 0 && { ms: at }),
    }));
    return siteOf(...views, { timeMs: noonMs + 40 * 86_400_000, browser: "b0", ms: 1_000_000 });
  }

  function median(
    site: Site,
    derived: Derived,
    browsers: readonly string[] = [],
    period = everything.period,
  ) {
    const work = new Work(derived);
    const filters = browsers.length === 0 ? [] : [filter("browser", "in", ...browsers)];
    const sieve = sieveOf(site, filters, derived);
    const parts = Array.from(rangesOf(site, period), (range) => durationsIn(range, sieve, work));
    return [quantilesOf(parts, [0.5])[0], work.rowsRead + work.rowsRecalled];
  }

  test("are sorted once for a chunk that takes no more hits, by filters", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    expect(median(site, derived)).toEqual([250, 501]);
    expect(median(site, derived)).toEqual([250, 1]);
    expect(median(site, derived, ["b0"])[0]).toBe(250);
    expect(median(site, derived, ["b0"])).toEqual([250, 1]);
    expect(median(site, derived, ["b1"])[0]).toBe(251);
    expect(median(site, derived)).toEqual([250, 1]);
  });

  test("are read where only a part of the chunk is asked for", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    median(site, derived);
    const period = { startMs: noonMs + 100, endMs: noonMs + 199 };
    expect(median(site, derived, [], period)).toEqual([149, 100]);
  });

  test("are sorted again when a row changed", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    median(site, derived);
    addView(site, { timeMs: noonMs, ms: 251 });
    expect(median(site, derived)).toEqual([251, 502]);
  });
});
