import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rank } from "../../src/query/answers/rank.ts";
import { compareText } from "../../src/query/names/text-order.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

describe("a page of many groups", () => {
  test("is that of all of them, sorted", () => {
    const values = fc.array(fc.nat(20), { maxLength: 400 });
    const page = fc.record({ limit: fc.integer({ min: 1, max: 60 }), offset: fc.nat(60) });
    fc.assert(
      fc.property(values, page, (keys, { limit, offset }) => {
        const order = (a: number, b: number) => (keys[b] as number) - (keys[a] as number) || a - b;
        const groups = Array.from(keys.keys());
        const sorted = groups.toSorted(order).slice(offset, offset + limit);
        expect(rank(groups, order, { limit, offset })).toEqual(sorted);
        expect(rank(Uint32Array.from(groups), order, { limit, offset })).toEqual(sorted);
      }),
      { seed: seed(), numRuns: rounds(300) },
    );
  });

  test("compares few of them more than once where the page is small", () => {
    let comparisons = 0;
    const order = (a: number, b: number) => {
      comparisons++;
      return a - b;
    };
    const groups = Uint32Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 100_000);
    expect(rank(groups, order, { limit: 3, offset: 2 })).toEqual([2, 3, 4]);
    expect(comparisons).toBeLessThan(110_000);
  });

  test("leaves the groups as they are", () => {
    const groups = [3, 1, 2];
    rank(groups, (a, b) => a - b, { limit: 5, offset: 0 });
    expect(groups).toEqual([3, 1, 2]);
  });
});

test("text is compared by code unit, not by locale or code point", () => {
  const sorted = ["", "B", "a", "b", "é", "\u{1f600}", "\uffee"];
  expect(sorted.toReversed().sort(compareText)).toEqual(sorted);
  expect(compareText("x", "x")).toBe(0);
});
