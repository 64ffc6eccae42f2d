import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Durations } from "../../src/query/quantile.ts";
import type { Block } from "../../src/query/block.ts";
import { selectBlocks } from "../../src/query/select.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";
import { everything, siteOf } from "../support/site.ts";

const quartiles = [0.25, 0.5, 0.75];

/** All of a website's durations in group 0 of one, `before` empty groups standing before it. */
function durationsOf(values: readonly number[], before = 0): Durations {
  const site = siteOf(...values.map((ms) => ({ ms })), {});
  const durations = new Durations(Uint32Array.from([...Array<number>(before).fill(0), values.length]));
  for (const block of selectBlocks(site, everything)) durations.add(block, groupsOf(block, before));
  return durations;
}

function groupsOf({ rows, count }: Block, group: number): Uint32Array {
  return new Uint32Array((rows[count - 1] as number) + 1).fill(group);
}

/** By the definition: at (n - 1) p of the sorted values, between two of them in proportion. */
function expected(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  return Math.floor(low + (high - low) * (at % 1) + 0.5);
}

describe("quartiles", () => {
  test("of small groups", () => {
    const table: readonly [readonly number[], readonly number[]][] = [
      [[7], [7, 7, 7]],
      [
        [1, 2],
        [1, 2, 2],
      ],
      [
        [4, 1, 3],
        [2, 3, 4],
      ],
      [
        [1, 2, 3, 4],
        [2, 3, 3],
      ],
      [
        [0, 0, 0, 86_400_000],
        [0, 0, 21_600_000],
      ],
    ];
    for (const [values, wanted] of table)
      expect(durationsOf(values).quantiles(0, quartiles)).toEqual([...wanted]);
  });

  test("are those of the sorted values", () => {
    const values = fc.array(fc.oneof(fc.nat(10), fc.nat(86_400_000)), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, (ms) => {
        const wanted = quartiles.map((share) => expected(ms, share));
        expect(durationsOf(ms, 2).quantiles(2, quartiles)).toEqual(wanted);
      }),
      { seed: seed(), numRuns: 200 },
    );
  });

  test("of groups too large to be sorted", () => {
    const random = randomFrom(seed());
    for (const scale of [1, 100, 5_000, 86_400_000]) {
      const values = Array.from({ length: 5_000 }, () => Math.floor(random() ** 4 * scale));
      const wanted = quartiles.map((share) => expected(values, share));
      const durations = durationsOf(values);
      expect(durations.quantiles(0, quartiles)).toEqual(wanted);
      expect(durations.quantiles(0, quartiles)).toEqual(wanted);
    }
  });

  test("are 0 of nothing", () => {
    expect(new Durations(Uint32Array.of(0)).quantiles(0, quartiles)).toEqual([0, 0, 0]);
  });
});
