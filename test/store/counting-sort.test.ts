import { expect, test } from "bun:test";
import { sortHalves, sortWords } from "../../src/store/counting-sort.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

const sizes = [0, 1, 2, 1_000, 16_384, 16_385, 100_000, 2_500_000];

function stepsOf(sorting: Generator<void, void>): number {
  return [...sorting].length;
}

test("halves are sorted, many of them in steps", () => {
  const random = randomFrom(seed());
  for (const size of sizes)
    for (const scale of [1, 300, 65_536]) {
      const values = Uint16Array.from({ length: size }, () => Math.floor(random() * scale));
      const wanted = values.toSorted();
      const steps = stepsOf(sortHalves(values));
      expect(Bun.deepEquals(values, wanted)).toBe(true);
      if (size === 2_500_000) expect(steps).toBeGreaterThan(2);
    }
});

test("words are sorted, many of them in steps", () => {
  const random = randomFrom(seed() + 1);
  for (const size of sizes)
    for (const scale of [1, 70_000, 86_400_000, 2 ** 32]) {
      const values = Uint32Array.from({ length: size }, () => Math.floor(random() ** 2 * scale));
      const wanted = values.toSorted();
      const steps = stepsOf(sortWords(values));
      expect(Bun.deepEquals(values, wanted)).toBe(true);
      if (size === 2_500_000) expect(steps).toBeGreaterThan(4);
    }
});
