import { expect, test } from "bun:test";
import { firstAtLeast, firstThat, lastAtMost } from "../../src/lib/search.ts";

const rising = [1, 3, 3, 5, 8];

test("a binary search finds what looking at each number finds", () => {
  for (let wanted = 0; wanted < 10; wanted++) {
    const at = rising.findIndex((number) => number >= wanted);
    const first = at === -1 ? rising.length : at;
    expect(firstAtLeast(rising, wanted)).toBe(first);
    expect(firstThat(0, rising.length, (place) => rising[place]! >= wanted)).toBe(first);
    expect(lastAtMost(rising, wanted)).toBe(
      Math.max(
        0,
        rising.findLastIndex((number) => number <= wanted),
      ),
    );
  }
});

test("a binary search stays within its bounds", () => {
  expect(firstAtLeast(rising, 0, 2, 4)).toBe(2);
  expect(firstAtLeast(rising, 9, 2, 4)).toBe(4);
  expect(firstThat(7, 7, () => false)).toBe(7);
});
