import { describe, expect, test } from "bun:test";
import { Derived } from "../../src/query/derived.ts";
import { quantilesOf } from "../../src/query/duration-quantiles.ts";
import { rangesOf } from "../../src/query/range.ts";
import { sieveOf } from "../../src/query/select.ts";
import { durationsIn } from "../../src/query/sorted-durations.ts";
import { sortDurations } from "../../src/store/sorted-durations.ts";
import { Work } from "../../src/query/work.ts";
import type { Site } from "../../src/store/site.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";
import { noonMs } from "../support/records.ts";

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
    return [quantilesOf(parts, [], [0.5])[0], work.rowsRead + work.rowsRecalled];
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
