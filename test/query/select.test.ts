import { describe, expect, test } from "bun:test";
import type { Filter, Selection } from "../../src/core/questions/query.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { blockRows } from "../../src/query/rows/block.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { Site } from "../../src/store/state/site.ts";
import { answerList } from "../support/answers.ts";
import { selectBlocks } from "../support/blocks.ts";
import { noonMs } from "../support/records.ts";
import { addView, everything, filter, listOf, siteOf } from "../support/site.ts";

/** The selected rows as [chunk, row]. */
function selected(site: Site, more: Partial<Selection> = {}): [number, number][] {
  const found: [number, number][] = [];
  const work = new QueryContext(site, new QueryCache(0));
  for (const { chunk, start, rows, count } of selectBlocks(site, { ...everything, ...more }, work))
    for (let at = 0; at < count; at++) found.push([(chunk as Chunk).number, start + (rows[at] as number)]);
  return found;
}

function rowsOf(count: number, timeMs: (row: number) => number): Site {
  return siteOf(
    ...Array.from({ length: count }, (_, row) => ({ timeMs: timeMs(row), browser: `b${row % 3}` })),
  );
}

/** Selects rows by a test of every row. */
function expected(site: Site, { startMs, endMs }: Selection["period"], browser?: number): [number, number][] {
  return [...site.chunks.values()].flatMap((chunk) =>
    Array.from({ length: chunk.rows }, (_, row): [number, number] => [chunk.number, row]).filter(
      ([, row]) => {
        const ms = (chunk.time[row] as number) + chunk.monthMs;
        return ms >= startMs && ms <= endMs && (browser === undefined || row % 3 === browser);
      },
    ),
  );
}

const edges = [0, 1, blockRows - 1, blockRows, blockRows + 1, 2 * blockRows + 5];

describe("a period", () => {
  for (const [name, timeMs] of [
    ["of rows in the order of time", (row: number) => noonMs + row * 10],
    ["of rows at the same time", (row: number) => noonMs + Math.floor(row / 1_000) * 10_000],
    ["of rows in any order", (row: number) => noonMs + ((row * 7_919) % 10_007) * 10],
  ] as const)
    test(name, () => {
      const site = rowsOf(2 * blockRows + 10, timeMs);
      const browser: Filter = filter("browser", "eq", "b1");
      for (const from of edges)
        for (const to of edges.filter((edge) => edge >= from)) {
          const period = { startMs: noonMs + from * 10, endMs: noonMs + to * 10 };
          expect(selected(site, { period })).toEqual(expected(site, period));
          expect(selected(site, { period, filters: [browser] })).toEqual(expected(site, period, 1));
        }
    });

  test("of a millisecond includes both of its ends", () => {
    const site = siteOf({ timeMs: noonMs - 1 }, { timeMs: noonMs }, { timeMs: noonMs + 1 });
    expect(selected(site, { period: { startMs: noonMs, endMs: noonMs } })).toEqual([[1, 1]]);
  });

  test("goes over months", () => {
    const april = Date.UTC(2026, 3, 1);
    const site = siteOf({ timeMs: april - 1 }, { timeMs: april }, { timeMs: april + 1 });
    const period = { startMs: april - 1, endMs: april };
    expect(selected(site, { period })).toEqual([
      [1, 0],
      [2, 0],
    ]);
    expect(selected(site, { period: { startMs: april + 2, endMs: Infinity } })).toEqual([]);
  });
});

test("more rows than a chunk holds, of more pages than 16 bits can number", () => {
  const site = new Site(1);
  const rows = chunkRowsMax + 3_000;
  for (let row = 0; row < rows; row++)
    addView(site, { path: `/${row}`, ms: row % 7, browser: row < 10 ? "Rare" : "Often" });
  const pages = answerList(site, listOf("pages", { limit: 3 }));
  expect(pages.map(({ path }) => path)).toEqual(["/0", "/1", "/10"]);
  const last = answerList(site, listOf("pages", { filters: [filter("path", "eq", `/${rows - 1}`)] }));
  expect(last).toMatchObject([{ visitors: 1, duration: (rows - 1) % 7 }]);
  const rare = answerList(site, listOf("pages", { filters: [filter("browser", "eq", "rare")] }));
  expect(rare).toHaveLength(10);
  expect(answerList(site, listOf("browsers"))).toMatchObject([{ visitors: rows - 10 }, { visitors: 10 }]);
});

test("rows whose property moved to another are not selected by it", () => {
  const site = siteOf({ properties: [["plan", "pro"]] }, {});
  const [chunk] = [...site.chunks.values()];
  const filters = [filter("prop_name", "eq", "plan")];
  expect(selected(site, { filters })).toEqual([[1, 0]]);
  chunk?.moveProperty(0);
  expect(selected(site, { filters })).toEqual([]);
});
