import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mixedQuantiles } from "../../src/query/quantiles/duration-quantiles.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { waveletOf } from "../support/wavelet.ts";

const shares = [0, 0.25, 0.5, 0.75, 1];

/** By the definition: at (n - 1) p of the sorted values, between two of them in proportion. */
function expected(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] as number;
  const high = sorted[Math.ceil(at)] as number;
  return values.length === 0 ? 0 : Math.floor(low + (high - low) * (at % 1) + 0.5);
}

describe("quantiles of many parts", () => {
  const duration = fc.oneof(
    fc.nat(20),
    fc.nat(86_400_000),
    fc.constantFrom(0, 65_535, 65_536, 65_537, 131_071, 131_072, 86_400_000, 2 ** 31, 2 ** 32 - 1),
  );
  const unsorted = fc.array(duration, { maxLength: 100, size: "max" });
  const span = fc.record({
    values: fc.array(duration, { maxLength: 60, size: "max" }),
    ends: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  });

  test("are those of all their values together", () => {
    fc.assert(
      fc.property(unsorted, fc.array(span, { maxLength: 5 }), (values, some) => {
        const spans = some.map(({ values, ends }) => {
          const [from, to] = ends.map((share) => Math.round(share * values.length)).sort((a, b) => a - b);
          return { values, wavelet: waveletOf(values), from: from as number, to: to as number };
        });
        const all = [values, ...spans.map(({ values, from, to }) => values.slice(from, to))].flat();
        expect(mixedQuantiles(Uint32Array.from(values), spans, shares)).toEqual(
          shares.map((share) => expected(all, share)),
        );
      }),
      { seed: seed(), numRuns: rounds(500) },
    );
  });

  test("of many equal and few other values", () => {
    const values = Uint32Array.of(7, 7, 70_007, 7, 7, 7, 5, 7, 7);
    expect(mixedQuantiles(values, [], shares)).toEqual([5, 7, 7, 7, 70_007]);
    const wavelet = waveletOf([1, 70_007, 7, 7, 0]);
    expect(mixedQuantiles(values, [{ wavelet, from: 1, to: 4 }], shares)).toEqual([5, 7, 7, 7, 70_007]);
  });

  test("of none are 0", () => {
    const wavelet = waveletOf([3, 4]);
    expect(mixedQuantiles(new Uint32Array(0), [], shares)).toEqual([0, 0, 0, 0, 0]);
    expect(mixedQuantiles(new Uint32Array(0), [{ wavelet, from: 1, to: 1 }], [0.5])).toEqual([0]);
  });
});
