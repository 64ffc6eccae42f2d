import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rank, rankWithOthers } from "../../src/query/answers/rank.ts";
import { compareText } from "../../src/query/names/text-order.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

describe("a page of many groups", () => {
  test("is that of all of them, sorted", () => {
    const values = fc.array(fc.nat(20), { maxLength: 400, size: "max" });
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

describe("a page of groups of which some are not kept apart", () => {
  test("has these last, whatever their figures", () => {
    const values = fc.array(fc.nat(20), { maxLength: 100, size: "max" });
    const page = fc.record({ limit: fc.integer({ min: 1, max: 60 }), offset: fc.nat(60) });
    fc.assert(
      fc.property(values, fc.integer({ min: 2, max: 9 }), page, (keys, every, { limit, offset }) => {
        const order = (a: number, b: number) => (keys[b] as number) - (keys[a] as number) || a - b;
        const isOther = (group: number) => group % every === 0;
        const [others, kept] = [true, false].map((is) =>
          Array.from(keys.keys(), (group) => group).filter((group) => isOther(group) === is),
        ) as [number[], number[]];
        const all = [...kept.sort(order), ...others.sort(order)];
        const ranked = rankWithOthers(Array.from(keys.keys()), isOther, order, { limit, offset });
        expect(ranked).toEqual(all.slice(offset, offset + limit));
      }),
      { seed: seed(), numRuns: rounds(300) },
    );
  });

  test("has these at the last places that can be asked for", () => {
    const groups = Array.from({ length: 12_000 }, (_, group) => group);
    const pageOf = (offset: number, limit: number) =>
      rankWithOthers(
        groups,
        (group) => group < 2,
        (a, b) => a - b,
        { limit, offset },
      );
    expect(pageOf(0, 3)).toEqual([2, 3, 4]);
    expect(pageOf(5_000, 5_000).slice(-4)).toEqual([9_998, 9_999, 0, 1]);
  });
});

test("text is compared by code unit, not by locale or code point", () => {
  const sorted = ["", "B", "a", "b", "é", "\u{1f600}", "\uffee"];
  expect(sorted.toReversed().sort(compareText)).toEqual(sorted);
  expect(compareText("x", "x")).toBe(0);
});
