/** Which visits a chunk has rows of, beside sets of them. */
import { expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import { dayEnds } from "../../src/facts/rollup.ts";
import { pageOf, pageWords, rowsByVisit, visitsOfChunk, wordOf } from "../../src/facts/visits.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { Site } from "../../src/store/state/site.ts";
import { valuesOf } from "../support/records.ts";
import { randomBySeed } from "../support/seed.ts";
import { sealAndStore } from "../support/stored-chunk.ts";

const marchMs = Date.UTC(2026, 2);

/** Rows of visits with numbers up to 2^32, some far apart; every fifth row is of none. */
function chunkOf(random: () => number): Chunk {
  const site = new Site(1);
  const numbers = Array.from({ length: 300 }, () =>
    random() < 0.8 ? 1 + Math.floor(random() * 5_000) : Math.floor(random() * 2 ** 32),
  );
  for (let row = 0; row < 2_000; row++) {
    const visit = random() < 0.2 ? 0 : (numbers[Math.floor(random() * numbers.length)] as number);
    const timeMs = marchMs + Math.floor((visit % 10) * dayMs + random() * 1.2 * dayMs);
    site.addRow(timeMs, valuesOf("/"), rowFlag.first, { visit });
  }
  sealAndStore(site, Date.UTC(2026, 6));
  const [chunk] = site.chunks.values();
  return chunk as Chunk;
}

test("a chunk knows its visits, where their rows are, and which have rows on several days", () => {
  const chunk = chunkOf(randomBySeed());
  const visits = Array.from(chunk.visit.subarray(0, chunk.rows));
  const days = dayEnds(chunk);
  const { pages, firstRows, endRows, bits, ofSeveralDays } = visitsOfChunk(chunk, days);
  expect([...pages]).toEqual(
    [...new Set(visits.filter((visit) => visit > 0).map(pageOf))].sort((a, b) => a - b),
  );
  const found = new Set<number>();
  pages.forEach((page, at) => {
    const rows = visits.flatMap((visit, row) => (visit > 0 && pageOf(visit) === page ? [row] : []));
    expect([firstRows[at], endRows[at]]).toEqual([rows[0], (rows.at(-1) as number) + 1]);
    for (let of = 0; of < pageWords * 32; of++) {
      const visit = page * pageWords * 32 + of;
      if (((bits[at * pageWords + wordOf(visit)] as number) >>> (visit & 31)) % 2 === 1) found.add(visit);
    }
  });
  expect(found).toEqual(new Set(visits.filter((visit) => visit > 0)));

  const dayOf = (row: number) => days.findIndex((end) => row < end);
  const daysOf = Map.groupBy(visits.keys(), (row) => visits[row] as number);
  const several = visits.keys().filter((row) => {
    const own = daysOf.get(visits[row] as number) as number[];
    return visits[row] !== 0 && new Set(own.map(dayOf)).size > 1;
  });
  expect([...ofSeveralDays]).toEqual([...several]);
  expect(ofSeveralDays.length).toBeGreaterThan(0);
});

test("rows of a part come visit by visit, without those of none", () => {
  const chunk = chunkOf(randomBySeed());
  const { rows, visits } = rowsByVisit(chunk, 300, 900);
  const own = Array.from(chunk.visit.subarray(300, 900));
  expect(rows.length).toBe(own.filter((visit) => visit > 0).length);
  expect(visits).toBe(new Set(own.filter((visit) => visit > 0)).size);
  expect(rows.every((row) => row >= 300 && row < 900)).toBe(true);
  const inOrder = Array.from(rows, (row) => (chunk.visit[row] as number) * 1_000 + row);
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
});
