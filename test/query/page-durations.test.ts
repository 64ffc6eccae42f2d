import { describe, expect, test } from "bun:test";
import type { Filter, TimeQuery, TimeRow } from "../../src/core/query.ts";
import { answerTime } from "../../src/query/answer.ts";
import { Derived } from "../../src/query/derived.ts";
import { byPage, type PageDurations } from "../../src/store/page-durations.ts";
import { Work } from "../../src/query/work.ts";
import type { Site } from "../../src/store/site.ts";
import { noonMs } from "../support/records.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";

/** The durations of each page, in order. */
function listed({ ids, ends, values }: PageDurations): Map<number, number[]> {
  return new Map(
    Array.from(ids, (id, part) => [
      id,
      Array.from(values.subarray(part === 0 ? 0 : ends[part - 1], ends[part])).sort((a, b) => a - b),
    ]),
  );
}

describe("durations by page", () => {
  const random = randomFrom(seed());

  for (const [rows, pages] of [
    [0, 1],
    [1, 5],
    [3_000, 7],
    [3_000, 100_000],
  ] as const)
    test(`of ${rows} rows of up to ${pages} pages`, () => {
      const paths = Uint32Array.from({ length: rows }, () => Math.floor(random() * pages));
      const durations = Uint32Array.from({ length: rows }, () => Math.floor(random() * 86_400_000));
      const expected = Map.groupBy(durations.keys(), (row) => paths[row] as number);
      const found = listed(byPage(paths, durations, pages));
      expect(found.size).toBe(expected.size);
      for (const [id, own] of expected)
        expect(found.get(id)).toEqual(own.map((row) => durations[row] as number).sort((a, b) => a - b));
    });
});

describe("the list of pages by time", () => {
  /** 600 views of 30 pages, the later ones the longer, and one of another month. */
  function ofTwoMonths(): Site {
    return siteOf(
      ...Array.from({ length: 600 }, (_, at) => ({
        timeMs: noonMs + at,
        path: `/${at % 30}`,
        browser: `b${at % 4}`,
        ...(at % 7 > 0 && { ms: (at % 30) * 1_000 + at }),
      })),
      { timeMs: noonMs + 40 * 86_400_000, path: "/29", ms: 50 },
    );
  }

  function ask(
    site: Site,
    derived: Derived,
    more: Partial<TimeQuery> = {},
  ): { rows: TimeRow[]; read: number } {
    const work = new Work(derived);
    const rows = answerTime(site, { ...everything, list: "time", summary: false, ...more }, work);
    return { rows, read: work.rowsRead };
  }

  const limits = [1, 3, 29, 30, 5_000];

  test("is the same, whatever was asked before", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    const filters: (readonly Filter[])[] = [[], [filter("browser", "in", "b1", "b2")]];
    for (let time = 0; time < 3; time++) {
      for (const some of filters)
        for (const limit of limits)
          for (const offset of [0, 2]) {
            const more = { filters: some, limit, offset };
            expect(ask(site, derived, more).rows).toEqual(ask(site, new Derived(0), more).rows);
          }
      addView(site, { timeMs: noonMs + 5, path: `/${time}`, ms: 99_999 });
    }
  });

  test("reads no row of a chunk that takes no more hits a second time", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    const { rows } = ask(site, derived);
    expect(ask(site, derived)).toEqual({ rows, read: 2 });
  });

  test("keeps nothing where what is kept already takes half of the budget", () => {
    const [site, derived] = [ofTwoMonths(), new Derived(200_000)];
    derived.keep({}, 1, "key", 1, 100_000);
    const { rows, read } = ask(site, derived);
    // The path's rollup spares one of the two times that rows are read.
    expect(ask(site, derived)).toEqual({ rows, read: 600 + 2 });
    expect(read).toBe(2 * 601);
  });

  test("has pages with equal times in the order of their median, also at its end", () => {
    const site = siteOf(
      { path: "/most", ms: 900 },
      // 600 each: with medians of 300, 200 and 600.
      { path: "/a", ms: 200 },
      { path: "/a", ms: 400 },
      { path: "/b", ms: 200 },
      { path: "/b", ms: 200 },
      { path: "/b", ms: 200 },
      { path: "/c", ms: 600 },
      { path: "/least", ms: 1 },
    );
    const order = ["/most", "/c", "/a", "/b", "/least"];
    for (let limit = 1; limit <= 6; limit++)
      for (let offset = 0; offset < 6; offset++) {
        const { rows } = ask(site, new Derived(1_000_000), { limit, offset });
        expect(rows.map(({ path }) => path)).toEqual(order.slice(offset, offset + limit));
      }
  });
});
