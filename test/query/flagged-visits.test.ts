/** Distinct visits of rows by their flags: those that a set of each kind has, and rows by their flags. */
import { expect, test } from "bun:test";
import type { BlockRows } from "../../src/query/rows/block.ts";
import { VisitSet } from "../../src/query/rows/visit-numbers.ts";
import { flagCells, FlaggedVisits, takeCells } from "../../src/query/visits/flagged-visits.ts";
import { rowFlag, rowFlagsMax, visitFlagsMax } from "../../src/store/columns/row-flag.ts";
import { randomBySeed } from "../support/seed.ts";

const random = randomBySeed();
const upTo = (count: number) => Math.floor(random() * count);

/** Visits that are close, some far away, some at the edges of pages and of words, and none. */
function visitOf(): number {
  const edges = [0, 31, 32, 4_095, 4_096, 2 ** 31, 2 ** 32 - 1];
  return random() < 0.1 ? edges[upTo(edges.length)]! : 1_000 + upTo(20_000);
}

test.each(Array.from({ length: 20 }, (_, world) => world))("as in world %i", () => {
  const cells = flagCells();
  const reached = new VisitSet();
  for (let at = 0; at < 3_000; at++) reached.add(visitOf());
  const expected = { all: new Set<number>(), timed: new Set<number>(), first: new Set<number>() };
  const all = new FlaggedVisits();
  for (let span = 0; span < 3; span++) {
    const rows = 1 + upTo(4_000);
    const flags = Uint8Array.from({ length: rows }, () => upTo(rowFlagsMax));
    const visitFlags = Uint8Array.from({ length: rows }, () => upTo(visitFlagsMax));
    const duration = Uint32Array.from({ length: rows }, () => upTo(86_400_000));
    const visit = Uint32Array.from({ length: rows }, visitOf);
    const chunk = { flags, visitFlags, duration, visit } as unknown as BlockRows;
    const start = upTo(10);
    const selected = Uint32Array.from(flags.keys())
      .subarray(start)
      .filter(() => random() < 0.6)
      .map((row) => row - start);
    const [from, to] = [upTo(3), Math.max(3, selected.length - upTo(3))];
    const own = selected.subarray(from, to).map((row) => row + start);
    const visits = new FlaggedVisits();
    const block = { chunk, start, rows: selected, count: selected.length, dense: false };
    const totalMs = visits.addRun(block, from, Math.min(to, selected.length), cells);
    expect(totalMs).toBe(own.reduce((sum, row) => sum + duration[row]!, 0));
    const counted = new Map<string, number>();
    takeCells(cells, (flag, visitFlag, count) => counted.set(`${flag} ${visitFlag}`, count));
    const keys = Array.from(own, (row) => `${flags[row]} ${visitFlags[row]}`);
    expect(counted).toEqual(
      new Map(
        Map.groupBy(keys, (key) => key)
          .entries()
          .map(([key, { length }]) => [key, length]),
      ),
    );
    expect(cells.every((count) => count === 0)).toBe(true);
    expect(visits.takeStrays()).toBe(own.some((row) => visit[row] === 0));
    expect(visits.takeStrays()).toBe(false);
    for (const row of own) {
      if (visit[row] === 0) continue;
      expected.all.add(visit[row]!);
      if (flags[row]! & rowFlag.timed) expected.timed.add(visit[row]!);
      if (flags[row]! & rowFlag.first) expected.first.add(visit[row]!);
    }
    all.addAll(visits);
  }
  const sizes = { all: expected.all.size, timed: expected.timed.size, first: expected.first.size };
  const both = Array.from(expected.all).filter((visit) => reached.has(visit)).length;
  expect(all.sizes(reached)).toEqual({ ...sizes, reached: both });
  expect(all.sizes(undefined)).toEqual({ ...sizes, reached: 0 });
});
