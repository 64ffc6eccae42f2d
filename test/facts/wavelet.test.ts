import { describe, expect, test } from "bun:test";
import { onesBefore, zerosIn } from "../../src/facts/wavelet.ts";
import { randomBySeed } from "../support/seed.ts";
import { numberAt, waveletOf } from "../support/wavelet.ts";

describe("a wavelet", () => {
  const random = randomBySeed();
  const some = (length: number, below: number) => Array.from({ length }, () => Math.floor(random() * below));

  test("has its numbers in the order that they had", () => {
    const cases = [
      ...[1, 31, 32, 33, 511, 512, 513, 1_024, 3_000].map((length) => some(length, 200_000)),
      some(2_000, 2),
      some(600, 2 ** 32),
      new Array<number>(700).fill(86_400_000),
    ];
    for (const values of cases) {
      const wavelet = waveletOf(values);
      expect(values.map((_, place) => numberAt(wavelet, place))).toEqual(values);
    }
  });

  test("counts the bits of the highest level before any place", () => {
    const values = some(1_600, 4);
    const wavelet = waveletOf([...values, 3]);
    let ones = 0;
    for (const [place, value] of [...values, 3].entries()) {
      expect(onesBefore(wavelet, 0, place)).toBe(ones);
      ones += value >> 1;
    }
    expect(onesBefore(wavelet, 0, 1_601)).toBe(ones);
    expect(zerosIn(wavelet, 0)).toBe(1_601 - ones);
  });

  test("has no more levels than its greatest number has bits", () => {
    expect(
      [[], [0, 0], [1], [0, 255], [256, 3], [2 ** 32 - 1]].map((values) => waveletOf(values).levels),
    ).toEqual([0, 0, 1, 8, 9, 32]);
    expect(waveletOf([0, 0]).bits).toHaveLength(0);
  });
});
