import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DigestQuantiles } from "../../src/query/quantiles/digest-quantiles.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed, seed } from "../support/seed.ts";

const shares = [0, 0.25, 0.5, 0.75, 1];

/** By the definition: at (n - 1) p of the sorted values, between two of them in proportion. */
function expected(parts: readonly (readonly number[])[]): number[] {
  const sorted = parts.flat().toSorted((a, b) => a - b);
  if (sorted.length === 0) return shares.map(() => 0);
  return shares.map((share) => {
    const at = (sorted.length - 1) * share;
    const low = sorted[Math.floor(at)] as number;
    const high = sorted[Math.ceil(at)] as number;
    return Math.floor(low + (high - low) * (at % 1) + 0.5);
  });
}

function found(parts: readonly (readonly number[])[], wanted = shares): number[] {
  const quantiles = new DigestQuantiles();
  for (const values of parts) quantiles.addSorted(Uint32Array.from(values).sort());
  expect(quantiles.isExact).toBeTrue();
  return quantiles.of(wanted);
}

describe("quantiles of many sorted parts", () => {
  test("are those of all their values together", () => {
    const value = fc.oneof(fc.nat(3), fc.nat(20), fc.nat(86_400_000), fc.constantFrom(0, 2 ** 32 - 1));
    const part = fc.oneof(
      fc.array(value, { maxLength: 5 }),
      fc.array(value, { minLength: 200, maxLength: 400, size: "max" }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        expect(found(parts)).toEqual(expected(parts));
      }),
      { seed: seed(), numRuns: rounds(300) },
    );
  });

  test("of parts of every size, far apart or alike", () => {
    const random = randomBySeed();
    for (const [parts, sizeMax] of [
      [2, 5_000],
      [12, 2_000],
      [150, 60],
      [700, 3],
    ] as const)
      for (const apart of [0, 1_000, 400_000])
        for (const scale of [5, 3_000, 1_000_000]) {
          const values = Array.from({ length: parts }, (_, at) =>
            Array.from(
              { length: 1 + Math.floor(random() * sizeMax) },
              () => at * apart + Math.floor(random() ** 3 * scale),
            ),
          );
          expect(found(values)).toEqual(expected(values));
        }
  });

  test("of many equal values, and of one rank after the other", () => {
    const equal = Array.from({ length: 300 }, () => 7);
    expect(found([equal, equal, equal])).toEqual([7, 7, 7, 7, 7]);
    expect(found([equal, [...equal, 9, 9], [1]])).toEqual([1, 7, 7, 7, 9]);
    // The median lies between the last value of one part and the first of another.
    const low = Array.from({ length: 500 }, (_, at) => at);
    const high = low.map((value) => value + 10_000);
    expect(found([high, low], [0.5])).toEqual([5_250]);
  });

  test("of none are 0", () => {
    expect(found([])).toEqual([0, 0, 0, 0, 0]);
    expect(found([[], []])).toEqual([0, 0, 0, 0, 0]);
    expect(found([[], [3], []])).toEqual([3, 3, 3, 3, 3]);
  });
});
