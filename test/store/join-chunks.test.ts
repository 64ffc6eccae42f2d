/** Chunks that become one, against their rows by hand. */
import { expect, test } from "bun:test";
import { columnNames } from "../../src/core/questions/dimension.ts";
import { bytesToWrite } from "../../src/engine/files/planned-checkpoint.ts";
import type { FileEntry } from "../../src/snapshot/manifest.ts";
import { encodedBytes, type Section } from "../../src/snapshot/section.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { columnsOf, movedRow } from "../../src/store/columns/columns.ts";
import { checkChunk } from "../../src/store/chunks/check-chunk.ts";
import { joinedChunk, type ChunkPart } from "../../src/store/files/join-chunks.ts";
import { chunksToMerge, mergedHead, mergedRowsMax } from "../../src/store/chunks/merge.ts";
import type { ChunkIds } from "../../src/store/columns/renumber.ts";
import { saveChunk, viewColumns } from "../../src/store/files/save-chunk.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

const monthMs = Date.UTC(2026, 1);
/** The number of ids of each column before: the first need 16 bits, the last 32. */
const idsBefore = [40, 90_000] as const;

const visits = [0, rowFlag.first, rowFlag.first | rowFlag.unique, rowFlag.first | rowFlag.evented];

type Random = (below: number) => number;

/** Rows in no order, with durations and properties, some of which moved on. */
function chunkAtRandom(number: number, rows: number, ids: number, random: Random, times: number): Chunk {
  const chunk = new Chunk(number, monthMs);
  for (let row = 0; row < rows; row++) {
    const tuples = {
      path: random(ids),
      client: random(ids),
      place: random(9),
      source: random(9),
      entry: 1,
      origin: 1,
    };
    chunk.addRow(monthMs + random(times), tuples, visits[random(visits.length)] as number);
    if (random(3) === 0) chunk.addDuration(row, random(90_000));
    if (random(4) === 0) {
      const value = random(2) === 0 ? random(100) / 8 : undefined;
      chunk.addProperty(row, random(9), random(40), monthMs + random(times), value);
    }
    if (random(20) === 0 && chunk.properties > 0) chunk.moveProperty(random(chunk.properties));
  }
  chunk.seal();
  return chunk;
}

/** Returns what each row says, with its properties, and with ids as `newIds` has them. */
function rowsOf(chunk: Chunk, newIds?: ChunkIds) {
  const renamed = (ids: Uint32Array | undefined, id: number) => (ids === undefined ? id : ids[id]);
  const rows = Array.from({ length: chunk.rows }, (_, row) => ({
    time: chunk.time[row] as number,
    ids: columnNames.map((name) => renamed(newIds?.columns[name], chunk.ids[name].values[row] as number)),
    flags: chunk.flags[row],
    duration: chunk.duration[row],
    properties: [] as unknown[],
  }));
  const moved: unknown[] = [];
  for (let index = 0; index < chunk.properties; index++) {
    const row = chunk.propertyRow[index] as number;
    const name = renamed(newIds?.propertyNames, chunk.propertyName[index] as number);
    const value = renamed(newIds?.propertyValues, chunk.propertyValue[index] as number);
    (row === movedRow ? moved : rows[row]?.properties)?.push([name, value, chunk.propertyTime[index]]);
  }
  return { rows, moved };
}

function sectionsByName(sections: readonly Section[]): ReadonlyMap<string, Uint8Array> {
  return new Map(sections.map(({ name, data }) => [name, data]));
}

/** `ids`: how many each column has. */
function newIdsFrom(random: Random, ids: number): ChunkIds {
  const some = (length: number) => Uint32Array.from({ length }, () => random(length));
  return { columns: columnsOf(() => some(ids)), propertyNames: some(9), propertyValues: some(40) };
}

test("the rows of all parts, by time, those of one time as they were, with their properties", () => {
  const float = randomBySeed();
  const random: Random = (below) => Math.floor(float() * below);
  for (let world = 0; world < rounds(60); world++) {
    const ids = idsBefore[random(2)] as number;
    const times = random(2) === 0 ? 50 : 2e9;
    const chunks = Array.from({ length: 1 + random(4) }, (_, at) =>
      chunkAtRandom(at + 3, 1 + random(150), ids, random, times),
    );
    const newIds = random(2) === 0 ? newIdsFrom(random, ids) : undefined;
    const files = new Map<string, ReadonlyMap<string, Uint8Array>>();
    const parts = chunks.map((chunk): ChunkPart => {
      const { rows, properties, number } = chunk;
      const more = { rows, properties, rewrites: newIds && [{ ids: newIds }] };
      if (random(2) === 0) return { ...more, sections: saveChunk(chunk) };
      files.set(`${number}`, sectionsByName(saveChunk(chunk)));
      return { ...more, file: { name: `${number}`, bytes: 0, checksum: 0 } };
    });
    const head = mergedHead(chunks);
    const made = joinedChunk({ head, parts }, ({ name }: FileEntry) => files.get(name) as never);
    const merged = Chunk.sealed(head, () => viewColumns(sectionsByName(made)));
    checkChunk(merged);
    const all = chunks.map((chunk) => rowsOf(chunk, newIds));
    const expected = all.flatMap(({ rows }) => rows);
    expected.sort((a, b) => a.time - b.time);
    expect(rowsOf(merged)).toEqual({ rows: expected, moved: all.flatMap(({ moved }) => moved) });
    expect([merged.number, merged.minMs, merged.maxMs]).toEqual([
      3,
      Math.min(...chunks.map(({ minMs }) => minMs)),
      Math.max(...chunks.map(({ maxMs }) => maxMs)),
    ]);
  }
});

test("one part with ids of 32 bits gives them to all rows, for which room is kept", () => {
  const random: Random = (below) => below - 1;
  const chunks = idsBefore.map((ids, at) => chunkAtRandom(at, at === 0 ? 5_000 : 1, ids, random, 50));
  const parts = chunks.map((chunk): ChunkPart => ({
    rows: chunk.rows,
    properties: chunk.properties,
    sections: saveChunk(chunk),
  }));
  const plan = { head: mergedHead(chunks), parts };
  const written = encodedBytes(joinedChunk(plan, () => new Map<string, Uint8Array>()));
  const sent = parts.reduce((sum, { sections = [] }) => sum + encodedBytes(sections), 0);
  expect(written).toBeGreaterThan(sent);
  const files = [{ name: "chunks/1/202602-0.0000000000000001.chunk", mapped: true, plan } as const];
  expect(bytesToWrite({ seq: 1, folderId: "", files })).toBeGreaterThanOrEqual(written);
});

test("a part that has other rows than it said is an assertion", () => {
  const chunk = chunkAtRandom(1, 10, 40, (below) => below - 1, 50);
  const { rows, properties } = chunk;
  const part = { rows: rows - 1, properties, sections: saveChunk(chunk) };
  const read = () => new Map<string, Uint8Array>();
  expect(() => joinedChunk({ head: chunk.head, parts: [part] }, read)).toThrow("the rows of its parts");
});

/** Sealed and in a file, as far as their heads say. */
function headsOf(...rows: readonly (readonly [number, number?])[]): Chunk[] {
  return rows.map(([count, month = 1], at) => {
    const own = Date.UTC(2026, month);
    const head = { number: at + 1, monthMs: own, rows: count, properties: 0, sorted: true };
    const chunk = Chunk.sealed({ ...head, bounds: [own + at, own + at, null, null] }, () => {
      throw new Error("nobody asks for the columns");
    });
    return chunk;
  });
}

const numbers = (groups: readonly (readonly Chunk[])[]) =>
  groups.map((group) => group.map(({ number }) => number));

function rowsIn(chunks: Iterable<Chunk>): number {
  return [...chunks].reduce((sum, { rows }) => sum + rows, 0);
}

const laterMs = Date.UTC(2027, 0);

test("chunks of one month that have room in one are merged, full ones too", () => {
  const chunks = headsOf([9], [chunkRowsMax], [chunkRowsMax - 9], [1], [8, 2], [8, 2], [5, 3]);
  expect(numbers(chunksToMerge(chunks, () => true, laterMs))).toEqual([
    [4, 1, 3, 2],
    [5, 6],
  ]);
  expect(numbers(chunksToMerge(chunks, ({ number }) => number !== 3, laterMs))).toEqual([[5, 6]]);
  expect(chunksToMerge(headsOf([600_000], [600_000]), () => true, laterMs)).toEqual([]);
});

test("a month that is not over is left, and so is an open chunk", () => {
  const parts = headsOf([chunkRowsMax], [chunkRowsMax], [chunkRowsMax]);
  const open = new Chunk(4, Date.UTC(2026, 1));
  const groups = (nowMs: number) => numbers(chunksToMerge([...parts, open], () => true, nowMs));
  expect(groups(Date.UTC(2026, 2) - 1)).toEqual([]);
  expect(groups(Date.UTC(2026, 2))).toEqual([[1, 2, 3]]);
});

test("a merge makes at least twice the largest part", () => {
  expect(chunksToMerge(headsOf([50_000], [40_000], [9_000]), () => true, laterMs)).toEqual([]);
  expect(numbers(chunksToMerge(headsOf([50_000], [40_000], [10_000]), () => true, laterMs))).toEqual([
    [3, 2, 1],
  ]);
  expect(numbers(chunksToMerge(headsOf([500_000], [20_000], [20_000]), () => true, laterMs))).toEqual([
    [2, 3],
  ]);
});

test("one checkpoint merges a part of very many rows, and says how many there are", () => {
  const chunks = headsOf(...Array.from({ length: 200 }, () => [chunkRowsMax] as const));
  expect(rowsIn(chunksToMerge(chunks, () => true, laterMs).flat())).toBe(4 * mergedRowsMax);
  expect(rowsIn(chunksToMerge(chunks, () => true, laterMs, Infinity).flat())).toBe(200 * chunkRowsMax);
});

/**
 * Imports one day after the other, with a checkpoint after each, and then makes checkpoints until none merges. Returns how
 * many rows were merged in all, and how many each chunk has that is left, the fewest first.
 */
function importedDayByDay(days: readonly number[]): { merged: number; left: number[] } {
  let chunks: Chunk[] = [];
  let merged = 0;
  const checkpoint = () => {
    const groups = chunksToMerge(chunks, () => true, laterMs);
    const parts = new Set(groups.flat());
    merged += rowsIn(parts);
    const made = groups.map((group) => Chunk.sealed(mergedHead(group), () => undefined as never));
    chunks = [...chunks.filter((chunk) => !parts.has(chunk)), ...made];
    return made.length > 0;
  };
  for (const [at, rows] of days.entries()) {
    const { head } = headsOf([rows])[0] as Chunk;
    chunks.push(Chunk.sealed({ ...head, number: at + 1 }, () => undefined as never));
    checkpoint();
  }
  while (checkpoint());
  return { merged, left: chunks.map(({ rows }) => rows).sort((a, b) => a - b) };
}

test("an import day by day merges each row a few times", () => {
  const random = randomBySeed();
  const atRandom = Array.from({ length: 31 }, () => 1 + Math.floor(random() * 30_000));
  for (const days of [new Array<number>(32).fill(1_000), atRandom]) {
    const { merged, left } = importedDayByDay(days);
    const total = days.reduce((sum, rows) => sum + rows, 0);
    // Each merge at least doubles the chunk that a row is in, from its day's rows to all of them at the most.
    expect(merged).toBeLessThanOrEqual(days.reduce((sum, rows) => sum + rows * Math.log2(total / rows), 0));
    // A chunk that is left has more rows than all smaller ones together: they are few.
    let smaller = 0;
    for (const rows of left) {
      expect(rows).toBeGreaterThan(smaller);
      smaller += rows;
    }
    expect(smaller).toBe(total);
  }
});

test("merged over and over few are left, in steps that are bounded", () => {
  const float = randomBySeed();
  let chunks = headsOf(...Array.from({ length: 400 }, () => [1 + Math.floor(float() * 60_000)] as const));
  const before = rowsIn(chunks);
  for (let step = 0; ; step++) {
    const groups = chunksToMerge(chunks, () => true, laterMs);
    if (groups.length === 0) break;
    expect(step).toBeLessThan(50);
    expect(rowsIn(groups.flat())).toBeLessThanOrEqual(4 * mergedRowsMax);
    const parts = new Set(groups.flat());
    const merged = groups.map((group) => Chunk.sealed(mergedHead(group), () => undefined as never));
    for (const chunk of merged) expect(chunk.rows).toBeLessThanOrEqual(mergedRowsMax);
    chunks = [...chunks.filter((chunk) => !parts.has(chunk)), ...merged];
  }
  expect(rowsIn(chunks)).toBe(before);
  expect(chunks.length).toBeLessThanOrEqual(2 * Math.ceil(before / mergedRowsMax) + 6);
});
