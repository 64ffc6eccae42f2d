import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { selectedDurations, selectedFlags } from "../../src/query/rows/block.ts";
import { Durations, quantilesOf } from "../../src/query/quantiles/quantile.ts";
import { selectBlocks } from "../support/blocks.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed, seed } from "../support/seed.ts";
import { everything, siteOf } from "../support/site.ts";

const quartiles = [0.25, 0.5, 0.75];

/** All of a website's durations in the last group, with `before` empty groups before it. */
function durationsOf(values: readonly number[], before = 0): Durations {
  const site = siteOf(...values.map((ms) => ({ ms })), {});
  const durations = new Durations(Uint32Array.from([...Array<number>(before).fill(0), values.length]));
  for (const block of selectBlocks(site, everything)) {
    const groups = new Uint32Array(block.count).fill(before);
    durations.addRows(groups, selectedFlags(block), selectedDurations(block), block.count);
  }
  return durations;
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
      expect(quantilesOf(durationsOf(values).of(0), quartiles)).toEqual([...wanted]);
  });

  test("are those of the sorted values", () => {
    const values = fc.array(fc.oneof(fc.nat(10), fc.nat(86_400_000)), {
      minLength: 1,
      maxLength: 300,
      size: "max",
    });
    fc.assert(
      fc.property(values, (ms) => {
        const wanted = quartiles.map((share) => expected(ms, share));
        expect(quantilesOf(durationsOf(ms, 2).of(2), quartiles)).toEqual(wanted);
      }),
      { seed: seed(), numRuns: rounds(200) },
    );
  });

  test("of large groups, of many equal values, sorted and the other way round", () => {
    const random = randomBySeed();
    for (const scale of [1, 100, 5_000, 86_400_000]) {
      const values = Array.from({ length: 5_000 }, () => Math.floor(random() ** 4 * scale));
      const wanted = quartiles.map((share) => expected(values, share));
      const rising = values.toSorted((a, b) => a - b);
      for (const own of [values, rising, rising.toReversed()]) {
        const durations = durationsOf(own);
        expect(quantilesOf(durations.of(0), quartiles)).toEqual(wanted);
        expect(quantilesOf(durations.of(0), quartiles)).toEqual(wanted);
      }
    }
  });

  test("are 0 of nothing", () => {
    expect(quantilesOf(new Durations(Uint32Array.of(0)).of(0), quartiles)).toEqual([0, 0, 0]);
  });
});
