/** The order of moments, sets of visits, and exact sums: against sorting, `Set` and integers. */
import { describe, expect, test } from "bun:test";
import { ExactSum } from "../../src/lib/exact-sum.ts";
import { inTimeOrder, type MomentList } from "../../src/query/rows/in-time-order.ts";
import { VisitNumbers, VisitSet } from "../../src/query/rows/visit-numbers.ts";
import { randomBySeed } from "../support/seed.ts";

const random = randomBySeed();
const upTo = (max: number) => Math.floor(random() * max);

describe("moments", () => {
  test("come by time, then by source, then as they were added, and each source is read when its time has come", () => {
    for (let round = 0; round < 200; round++) {
      const spanMs = 1 + upTo(400);
      const all: { readonly timeMs: number; readonly rank: number; readonly value: number }[] = [];
      let seenMs = -Infinity;
      const sources = Array.from({ length: upTo(6) }, (_, rank) => {
        const baseMs = upTo(300);
        const added: (readonly [time: number, visit: number, value: number])[] = [];
        let startMs = Infinity;
        for (let value = 0; value < upTo(2_500); value++) {
          const time = upTo(spanMs);
          added.push([time, 1 + value, value]);
          startMs = Math.min(startMs, baseMs + time);
          all.push({ timeMs: baseMs + time, rank, value });
        }
        added.push([0, 0, 9]);
        return {
          baseMs,
          startMs: Number.isFinite(startMs) ? startMs : baseMs,
          read: (list: MomentList) => {
            expect(startMs).toBeGreaterThanOrEqual(seenMs);
            for (const moment of added) list.add(...moment);
          },
        };
      });
      const seen: (readonly [timeMs: number, visit: number, value: number])[] = [];
      inTimeOrder(sources, ({ baseMs, times, visits, values }, from, to) => {
        for (let at = from; at < to; at++) {
          seenMs = baseMs + times[at]!;
          seen.push([seenMs, visits[at]!, values[at]!]);
        }
      });
      const expected = all.sort((a, b) => a.timeMs - b.timeMs || a.rank - b.rank || a.value - b.value);
      expect(seen).toEqual(expected.map(({ timeMs, value }) => [timeMs, 1 + value, value]));
    }
  });
});

describe("visits", () => {
  test("are in a set once, whatever sets it was joined from", () => {
    const numbers = [0, 1, 31, 32, 4_095, 4_096, 65_535, 65_536, 2 ** 31, 2 ** 32 - 1];
    const sets = Array.from({ length: 5 }, () =>
      Array.from({ length: upTo(3_000) }, () => (random() < 0.1 ? numbers[upTo(10)]! : upTo(20_000))),
    );
    const joined = new VisitSet();
    for (const visits of sets) {
      const own = new VisitSet();
      // One by one, and some together.
      const alone = upTo(visits.length);
      for (const visit of visits.slice(0, alone)) own.add(visit);
      const together = Uint32Array.from(visits.keys()).subarray(alone);
      own.addRows(Uint32Array.from([7, ...visits]), 1, together, together.length);
      expect(own.size).toBe(new Set(visits.filter((visit) => visit !== 0)).size);
      joined.addAll(own);
    }
    const all = new Set(sets.flat().filter((visit) => visit !== 0));
    expect(joined.size).toBe(all.size);
    for (const visit of [...numbers, ...Array.from({ length: 20_000 }, (_, visit) => visit)])
      expect(joined.has(visit)).toBe(all.has(visit));
    const asked = Uint32Array.from({ length: 5_000 }, () =>
      random() < 0.1 ? numbers[upTo(10)]! : upTo(40_000),
    );
    const rows = asked.map((_, at) => 2 * at);
    const kept = new Uint32Array(asked.length);
    const found = joined.keep(asked, rows, asked.length, kept);
    expect(kept.subarray(0, found)).toEqual(rows.filter((_, at) => all.has(asked[at]!)));
  });

  test("have numbers of their own", () => {
    const numbers = new VisitNumbers();
    for (const visit of [1, 65_535, 65_536, 2 ** 32 - 1]) {
      expect(numbers.get(visit)).toBe(0);
      numbers.set(visit, visit & 0xff);
    }
    for (const visit of [1, 65_535, 65_536, 2 ** 32 - 1]) expect(numbers.get(visit)).toBe(visit & 0xff);
    expect(numbers.get(2)).toBe(0);
  });
});

test("sums are exact to a millionth, in whatever order numbers come", () => {
  const values = Array.from(
    { length: 5_000 },
    () => (random() < 0.5 ? -1 : 1) * (upTo(10 ** 9) / 10 ** (3 + upTo(4))),
  );
  const millionths = values.reduce((sum, value) => sum + BigInt(Math.round(value * 1e6)), 0n);
  for (const order of [values, values.toReversed(), values.toSorted((a, b) => a - b)]) {
    const sum = new ExactSum();
    const other = new ExactSum();
    order.forEach((value, at) => (at % 3 === 0 ? sum : other).add(value));
    sum.addAll(other);
    expect(BigInt(Math.round(sum.value * 1e6))).toBe(millionths);
  }
  const cents = new ExactSum();
  for (const value of [0.1, 0.2, 49.9]) cents.add(value);
  expect(cents.value).toBe(50.2);
});
