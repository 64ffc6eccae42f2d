/** Facts of chunks, after they were bytes, against the rows themselves. */
import { describe, expect, test } from "bun:test";
import { derivedNames, dimensionIndex, storedDimensions } from "../../src/core/questions/stored-dimension.ts";
import { dayMs } from "../../src/core/hit.ts";
import { buildFacts } from "../../src/facts/making/build.ts";
import { eventsOfChunk } from "../../src/facts/events.ts";
import type { Rollup, Unit } from "../../src/facts/entries.ts";
import type { ChunkFacts } from "../../src/facts/facts.ts";
import { durationsOf } from "../../src/facts/page-durations.ts";
import { knownBefore } from "../../src/facts/quarters.ts";
import { rollUp } from "../../src/facts/rollup.ts";
import { FactsView } from "../../src/facts/making/sections.ts";
import { lookUps } from "../../src/query/names/look-ups.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { classTables } from "../../src/store/columns/row-class.ts";
import { Site } from "../../src/store/state/site.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, siteOf, type View } from "../support/site.ts";
import { factsOf } from "../support/some-facts.ts";
import { stored } from "../support/stored-chunk.ts";
import { sealAndStore } from "../support/stored-chunk.ts";
import { sortedIn } from "../support/wavelet.ts";

const marchMs = Date.UTC(2026, 2);
const { path, device } = dimensionIndex;

/** In the order of their time, over `days` days. */
function randomViews(random: () => number, count: number, days: number, pages: number): View[] {
  return Array.from({ length: count }, (_, at): View => ({
    timeMs: marchMs + Math.floor((at * days * dayMs) / count),
    path: `/${Math.floor(random() ** 2 * pages)}`,
    browser: `b${Math.floor(random() * 9)}`,
    p: random() < 0.4,
    q: random() < 0.5,
    evented: random() < 0.1,
    ...(random() < 0.7 ? { ms: Math.floor(random() ** 4 * 500_000) } : { bare: random() < 0.2 }),
    ...(random() < 0.3 && { properties: [[`name ${Math.floor(random() * 5)}`, "value"]] }),
  }));
}

/** Chunks of one month, each sealed before the next begins. */
function sealedChunks(...parts: readonly (readonly View[])[]): { site: Site; chunks: Chunk[] } {
  const site = new Site(1);
  for (const views of parts) {
    for (const view of views) addView(site, view);
    sealAndStore(site, Date.UTC(2026, 6));
  }
  return { site, chunks: [...site.chunks.values()] };
}

/** By quarter of an hour: its page views in each class, and its durations. */
function listedQuarters(made: ChunkFacts): [number, number[], number[]][] {
  const quarters = made.quarters();
  return Array.from(quarters.numbers, (number, place) => {
    const own = quarters.counts.subarray(place * 6, place * 6 + 12);
    const rows = Array.from({ length: 6 }, (_, kind) => (own[6 + kind] as number) - (own[kind] as number));
    const [from, to] = [knownBefore(quarters, place), knownBefore(quarters, place + 1)];
    return [number, rows, sortedIn(made.durations(), from, to)];
  });
}

/** The same of the rows. */
function quartersOf(chunks: readonly Chunk[]): [number, number[], number[]][] {
  const byNumber = new Map<number, [number[], number[]]>();
  for (const { rows, flags, duration, time, monthMs } of chunks)
    for (let row = 0; row < rows; row++) {
      const number = Math.floor((monthMs + (time[row] as number)) / (15 * 60_000));
      const own = classTables[rowFlag.unique][flags[row] as number] as number;
      if (own >= 6) continue;
      const [counts, known] = byNumber.getOrInsertComputed(number, () => [[0, 0, 0, 0, 0, 0], []]);
      counts[own] = (counts[own] as number) + 1;
      if ((flags[row] as number) & rowFlag.timed) known.push(duration[row] as number);
    }
  const listed = Array.from(byNumber, ([number, [counts, known]]): [number, number[], number[]] => {
    return [number, counts, known.sort((a, b) => a - b)];
  });
  return listed.sort(([a], [b]) => a - b);
}

function listedPages({ ids, ends, values }: ReturnType<ChunkFacts["pageDurations"]>): [number, number[]][] {
  return Array.from(ids, (id, at) => [id, [...values.subarray(at === 0 ? 0 : ends[at - 1], ends[at])]]);
}

/** Known durations by path, all in order. */
function knownOf(chunks: readonly Chunk[]): Map<number, number[]> {
  const byPath = new Map<number, number[]>();
  for (const { rows, flags, duration, ids } of chunks)
    for (let row = 0; row < rows; row++) {
      if (((flags[row] as number) & rowFlag.timed) === 0) continue;
      const id = ids.path.values[row] as number;
      byPath.set(id, [...(byPath.get(id) ?? []), duration[row] as number]);
    }
  for (const own of byPath.values()) own.sort((a, b) => a - b);
  return byPath;
}

function expectDurations(made: ChunkFacts, chunks: readonly Chunk[]): void {
  const known = knownOf(chunks);
  expect(listedPages(made.pageDurations())).toEqual([...known].sort(([a], [b]) => a - b));
  expect(listedQuarters(made)).toEqual(quartersOf(chunks));
  expect(made.durations()).toHaveLength([...known.values()].flat().length);
}

describe("facts of a chunk", () => {
  const random = randomBySeed();

  test("are what its rows add up to, and its durations in order", () => {
    const { site, chunks } = sealedChunks(randomViews(random, 3_000, 20, 12));
    const [chunk] = chunks as [Chunk];
    const made = factsOf(site, chunk);
    const rollups = rollUp(site, chunk, lookUps);
    // No list is made of entry pages by the rows of their visits.
    expect(rollups).toHaveLength(2 * (storedDimensions.length - 1 + derivedNames.length));
    for (const { of, unit, rollup } of rollups) expect(made.rollup(of, unit)).toEqual(rollup);
    expectDurations(made, chunks);
    expect(made.events()).toEqual(eventsOfChunk(chunk, site.propertyNames.size));
  });

  const unitsOf = (made: ChunkFacts, dimension: number) =>
    (["whole", "day"] satisfies Unit[]).filter((unit) => made.rollup(dimension, unit) !== undefined);

  test("have no rollup that would not be small, as a whole or by day", () => {
    const { site, chunks } = sealedChunks(randomViews(random, 300, 20, 20));
    const made = factsOf(site, chunks[0] as Chunk);
    expect(unitsOf(made, path)).toEqual(["whole"]);
    expect(unitsOf(made, device)).toEqual(["whole", "day"]);
    const many = sealedChunks(randomViews(random, 300, 20, 5_000));
    expect(unitsOf(factsOf(many.site, many.chunks[0] as Chunk), path)).toEqual([]);
  });

  test("of one day have no rollup by day", () => {
    const { site, chunks } = sealedChunks(randomViews(random, 300, 1, 20));
    expect(unitsOf(factsOf(site, chunks[0] as Chunk), device)).toEqual(["whole"]);
  });

  test("of a chunk without known durations and properties are empty", () => {
    const { site, chunks } = sealedChunks([{ timeMs: marchMs, bare: true }]);
    const made = factsOf(site, chunks[0] as Chunk);
    expect(made.durations()).toMatchObject({ length: 0, levels: 0 });
    expect(listedQuarters(made)).toEqual([]);
    expect(listedPages(made.pageDurations())).toEqual([]);
    expect(made.events().names).toHaveLength(0);
  });

  test("are views of the bytes, which are aligned", () => {
    const { site, chunks } = sealedChunks(randomViews(random, 3_000, 20, 12));
    const sections = buildFacts(site, chunks[0] as Chunk, lookUps);
    const bytes = stored(sections);
    const made = new FactsView(bytes, new Set(sections.map(({ name }) => name)), "facts");
    for (const { buffer } of [
      (made.rollup(path, "whole") as Rollup).totalMs,
      made.quarters().numbers,
      made.durations().bits,
      made.pageDurations().values,
      made.events().names,
    ])
      expect(buffer).toBe(bytes.get("pages")?.buffer as ArrayBuffer);
  });

  test("are not made of one that still changes", () => {
    const site = siteOf({ timeMs: marchMs });
    const [chunk] = site.chunks.values();
    expect(() => buildFacts(site, chunk as Chunk, lookUps)).toThrow("is sealed");
  });

  test("have the durations of each page, and none of a page without", () => {
    const { site, chunks } = sealedChunks(randomViews(random, 2_000, 20, 30));
    const pages = factsOf(site, chunks[0] as Chunk).pageDurations();
    const known = knownOf(chunks);
    for (let id = 0; id < (site.dictionaries[0]?.size as number) + 2; id++)
      expect([...durationsOf(pages, id)]).toEqual(known.get(id) ?? []);
  });
});
