/** Every case of what a set-up page says about hits. */
import { expect, test } from "bun:test";
import { arrivalOf } from "../../src/web/lib/set-up/arrival.ts";

test.each([
  [undefined, undefined, false, "unknown"],
  [undefined, 0, false, "unknown"],
  [0, undefined, false, "waiting"],
  [0, 0, false, "waiting"],
  [0, 0, true, "waiting"],
  // The stream is faster than the answer.
  [0, 1, true, "first"],
  // A page view of somebody who is no new visitor.
  [1, 0, true, "first"],
  [1, undefined, true, "first"],
  [undefined, 2, false, "receiving"],
  [7, 0, false, "receiving"],
  [7, 2, false, "receiving"],
] as const)("%p hits, %p visitors, waited %p: %s", (hits, visitors, waited, arrival) => {
  expect(arrivalOf(hits, visitors, waited)).toBe(arrival);
});

test.each([
  [7, 0, false, "imported"],
  [7, undefined, true, "imported"],
  [0, 0, false, "waiting"],
  [7, 1, false, "receiving"],
  [7, 1, true, "first"],
] as const)("quiet after an import: %p hits, %p visitors, waited %p: %s", (hits, now, waited, arrival) => {
  expect(arrivalOf(hits, now, waited, true)).toBe(arrival);
});
