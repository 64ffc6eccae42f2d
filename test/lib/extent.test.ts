/** The least and the greatest of numbers, of which a call takes fewer as arguments. */
import { expect, test } from "bun:test";
import { extent } from "../../src/lib/extent.ts";

test("finds the least and the greatest of numbers in any order", () => {
  expect(extent([3])).toEqual([3, 3]);
  expect(extent([2, -5, 7, 0])).toEqual([-5, 7]);
});

test("goes through more numbers than a call takes arguments", () => {
  const numbers = Array.from({ length: 1_500_000 }, (_, at) => at);
  expect(() => Math.max(...numbers)).toThrow(RangeError);
  expect(extent(numbers)).toEqual([0, 1_499_999]);
});
