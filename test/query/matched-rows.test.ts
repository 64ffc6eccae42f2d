/** Copies of the rows that match, against the rows themselves. */
import { describe, expect, test } from "bun:test";
import type { Filter, Period } from "../../src/core/questions/query.ts";
import { columnNames } from "../../src/core/questions/dimension.ts";
import { blockRows } from "../../src/query/rows/block.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { Site } from "../../src/store/state/site.ts";
import { selectBlocks } from "../support/blocks.ts";
import { noonMs } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, everything, filter } from "../support/site.ts";

const rows = 3 * blockRows + 100;
const stepMs = 1_000;

/** Rows of a sealed chunk, in the order of their time or not, with ids of 16 and of 32 bits. */
function siteOf(sorted: boolean, random: () => number): Site {
  const site = new Site(1);
  for (let at = 0; at < 70_000; at++) site.dictionaries[0]?.intern(`/unused ${at}`);
  for (let at = 0; at < rows; at++)
    addView(site, {
      timeMs: noonMs + (sorted ? at * stepMs : Math.floor(random() * rows * stepMs)),
      path: `/${at % 50}`,
      browser: `b${Math.floor(random() * 40)}`,
      os: at < 2 * blockRows ? "early" : "late",
      referrer: `${at % 700}.example`,
      p: random() < 0.4,
      ...(random() < 0.5 && { ms: Math.floor(random() * 100_000) }),
    });
  addView(site, { timeMs: Date.UTC(2026, 3, 20) });
  site.seal(Date.UTC(2026, 3, 20));
  return site;
}

/** Everything of each selected row of the sealed chunk, and whether it was read from a copy. */
function selected(site: Site, period: Period, filters: readonly Filter[], context: QueryContext) {
  const found: number[][] = [];
  let copied = 0;
  for (const { chunk, start, rows, count } of selectBlocks(site, { period, filters }, context)) {
    if (chunk.monthMs === Date.UTC(2026, 3)) continue;
    copied += chunk instanceof Chunk ? 0 : count;
    for (let at = 0; at < count; at++) {
      const row = start + (rows[at] as number);
      const ids = columnNames.map((name) => chunk.ids[name].values[row] as number);
      found.push([
        ...ids,
        ...[chunk.time, chunk.flags, chunk.duration].map((column) => column[row] as number),
      ]);
    }
  }
  return { found, copied };
}

describe.each([true, false])("copies of rows that match, in order: %p", (sorted) => {
  const random = randomBySeed();
  const site = siteOf(sorted, random);
  const periods = [
    everything.period,
    ...Array.from({ length: 20 }, () => {
      const startMs = noonMs + Math.floor(random() * rows) * stepMs;
      return { startMs, endMs: startMs + Math.floor(random() * rows) * stepMs };
    }),
    { startMs: noonMs - 10, endMs: noonMs - 1 },
  ];

  test.each([
    ["few", [filter("browser", "eq", "b3")]],
    ["none", [filter("browser", "eq", "nobody's")]],
    ["none of the first blocks", [filter("os", "eq", "late"), filter("browser", "in", "b1", "b2")]],
    ["none of the last blocks", [filter("os", "eq", "early"), filter("browser", "eq", "b5")]],
  ] as const)("%s: the same rows, of any period", (_, filters) => {
    const cache = new QueryCache(2 ** 24);
    for (const period of periods) {
      const expected = selected(site, period, filters, new QueryContext(site, new QueryCache(0)));
      const { found, copied } = selected(site, period, filters, new QueryContext(site, cache));
      expect(found).toEqual(expected.found);
      expect([expected.copied, copied]).toEqual([0, found.length]);
    }
  });

  test("that are many are not copied, and those without room are not either", () => {
    for (const [filters, bytes] of [
      [[filter("browser", "neq", "b3")], 2 ** 24],
      [[filter("browser", "eq", "b3")], 2 * rows - 1_000],
    ] as const) {
      const cache = new QueryCache(bytes);
      const expected = selected(site, everything.period, filters, new QueryContext(site, new QueryCache(0)));
      for (let time = 0; time < 3; time++)
        expect(selected(site, everything.period, filters, new QueryContext(site, cache))).toEqual(expected);
    }
  });
});
