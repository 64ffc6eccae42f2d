import { describe, expect, test } from "bun:test";
import type { Filter, Period } from "../../src/core/questions/query.ts";
import { dayMs } from "../../src/core/hit.ts";
import { blockRows, type Block } from "../../src/query/rows/block.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { listMatches, matchesBytes, MatchList, type Matches } from "../../src/query/rows/matches.ts";
import { QueryContext } from "../../src/query/cache/context.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import type { Site } from "../../src/store/state/site.ts";
import { selectBlocks } from "../support/blocks.ts";
import { noonMs } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";

const chunkRows = 3 * blockRows + 100;

/** Blocks of the rows for which `selected` holds; those without a row are left out. */
function* blocksOf(selected: (row: number) => boolean): Generator<Block> {
  for (let start = 0; start < chunkRows; start += blockRows) {
    const length = Math.min(blockRows, chunkRows - start);
    const rows = Array.from({ length }, (_, at) => at).filter((at) => selected(start + at));
    const list = Uint32Array.from({ length: blockRows }, (_, at) => rows[at] ?? 0xffff);
    const count = rows.length;
    if (count > 0) yield { chunk: {} as Chunk, start, rows: list, count, dense: false };
  }
}

function matchesOf(selected: (row: number) => boolean): Matches {
  const list = new MatchList(chunkRows);
  for (const block of blocksOf(selected)) list.add(block);
  return list.matches;
}

/** The rows from `from` up to `to`. */
function listed(selected: (row: number) => boolean, from: number, to: number): number[] {
  const matches = matchesOf(selected);
  const list = new Uint32Array(blockRows);
  const found: number[] = [];
  for (let start = from - (from % blockRows); start < to; start += blockRows) {
    const count = listMatches(matches, start, from, to, list);
    found.push(...Array.from(list.subarray(0, count), (row) => start + row));
  }
  return found;
}

describe("matches of a chunk", () => {
  const edges = [0, 1, 700, blockRows - 1, blockRows, blockRows + 1, 2 * blockRows, chunkRows - 1, chunkRows];
  const random = randomBySeed();
  const some = new Set(Array.from({ length: chunkRows }, (_, row) => row).filter(() => random() < 0.1));
  for (const [name, selected] of [
    ["some rows", (row: number) => some.has(row)],
    ["all", () => true],
    ["none", () => false],
    ["none of the first block", (row: number) => row >= blockRows + 5],
    ["none of a block between", (row: number) => row < 9 || row > 2 * blockRows],
    ["only the last row", (row: number) => row === chunkRows - 1],
  ] as const)
    test(`${name}: of every range those in it`, () => {
      for (const from of edges)
        for (const to of edges.filter((edge) => edge >= from)) {
          const rows = Array.from({ length: to - from }, (_, at) => from + at);
          expect(listed(selected, from, to)).toEqual(rows.filter(selected));
        }
    });

  test("take two bytes each", () => {
    expect(matchesBytes(matchesOf((row) => some.has(row)))).toBe(2 * some.size + 4 * 4);
  });
});

describe("a question that filters", () => {
  const byBrowser = (name: string) => [filter("browser", "eq", name)];

  /** Rows of two chunks; the first is sealed. */
  function twoMonths(): Site {
    const views = Array.from({ length: 9_000 }, (_, at) => ({
      timeMs: noonMs + at * 60_000,
      browser: `b${at % 10}`,
      os: `os${at % 3}`,
    }));
    const site = siteOf(...views, { timeMs: Date.UTC(2026, 3, 20), browser: "b1" });
    site.seal(Date.UTC(2026, 3, 20));
    return site;
  }

  function ask(
    site: Site,
    cache: QueryCache,
    filters: readonly Filter[],
    period: Period = everything.period,
  ) {
    const context = new QueryContext(site, cache);
    let rows = 0;
    for (const { count } of selectBlocks(site, { period, filters }, context)) rows += count;
    return { rows, read: context.rowsRead, matched: context.rowsMatched };
  }

  test("reads a sealed chunk once, and knows its matches for any period", () => {
    const [site, cache] = [twoMonths(), new QueryCache(1_000_000)];
    expect(ask(site, cache, byBrowser("b1"))).toEqual({ rows: 901, read: 9_001, matched: 900 });
    expect(ask(site, cache, byBrowser("b1"))).toEqual({ rows: 901, read: 1, matched: 900 });
    const day = { startMs: noonMs + dayMs, endMs: noonMs + 2 * dayMs - 1 };
    expect(ask(site, cache, byBrowser("b1"), day)).toEqual({ rows: 144, read: 0, matched: 144 });
    expect(ask(site, cache, byBrowser("b2"), day)).toEqual({ rows: 144, read: 9_000, matched: 144 });
  });

  test("does not see the order of its filters", () => {
    const [site, cache] = [twoMonths(), new QueryCache(1_000_000)];
    const [one, two] = [filter("browser", "eq", "b1"), filter("os", "in", "os1", "os2")];
    const first = ask(site, cache, [one, two]);
    expect(ask(site, cache, [two, one])).toEqual({ ...first, read: 1 });
    expect(ask(site, cache, [filter("browser", "eq", "b2"), two]).read).toBe(9_001);
    expect(ask(site, cache, [one, filter("os", "not_in", "os1", "os2")]).read).toBe(9_001);
  });

  test("reads the rows of an open chunk each time", () => {
    const [site, cache] = [twoMonths(), new QueryCache(1_000_000)];
    addView(site, { timeMs: noonMs, browser: "b1" });
    for (const read of [9_002, 2])
      expect(ask(site, cache, byBrowser("b1"))).toEqual({ rows: 902, read, matched: 900 });
  });

  test("reads all rows each time where nothing can be kept", () => {
    const [site, cache] = [twoMonths(), new QueryCache(0)];
    for (let time = 0; time < 2; time++)
      expect(ask(site, cache, byBrowser("b1"))).toEqual({ rows: 901, read: 9_001, matched: 0 });
  });
});
