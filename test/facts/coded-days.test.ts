/** The rollup of days comes back from what is written of it and of the whole month. */
import { expect, test } from "bun:test";
import { codedDays, decodedDays } from "../../src/facts/months/sections/coded-days.ts";
import type { RollupSums } from "../../src/facts/entries.ts";
import { pageViewClasses } from "../../src/store/columns/row-class.ts";
import { visitParts } from "../../src/store/columns/row-flag.ts";
import { randomBySeed } from "../support/seed.ts";

/** Random days of some values, of which each has one at least. */
function daysOf(random: () => number, values: number, days: number): RollupSums {
  const present = Array.from({ length: days }, (_, day) =>
    Array.from({ length: values }, (_, value) => value * 3).filter(
      (_, value) => value % days === day || random() < 1 / (1 + value),
    ),
  );
  const ids = Uint32Array.from(present.flat());
  const number = () => Math.floor(random() ** 6 * 1_000);
  const numbers = (length: number) => Uint32Array.from({ length }, number);
  let end = 0;
  return {
    ends: Uint32Array.from(present, ({ length }) => (end += length)),
    unique: numbers(days),
    visitsOfPart: numbers(days),
    ids,
    counts: numbers(ids.length * pageViewClasses),
    totalMs: Float64Array.from(ids, () => Math.floor(random() * 2 ** 40)),
    visits: numbers(ids.length * visitParts),
    distinctVisits: numbers(ids.length),
  };
}

function wholeOf(days: RollupSums): RollupSums {
  const ids = [...new Set(days.ids)].sort((a, b) => a - b);
  const sums = (column: Uint32Array | Float64Array, width: number) => {
    const to = new Float64Array(ids.length * width);
    days.ids.forEach((id, entry) => {
      for (let part = 0; part < width; part++)
        to[ids.indexOf(id) * width + part]! += column[entry * width + part]!;
    });
    return to;
  };
  return {
    ends: Uint32Array.of(ids.length),
    unique: Uint32Array.of(1),
    visitsOfPart: Uint32Array.of(1),
    ids: Uint32Array.from(ids),
    counts: Uint32Array.from(sums(days.counts, pageViewClasses)),
    totalMs: sums(days.totalMs, 1),
    visits: Uint32Array.from(sums(days.visits, visitParts)),
    distinctVisits: Uint32Array.from(sums(days.distinctVisits, 1)),
  };
}

test.each([
  [0, 0],
  [1, 1],
  [40, 3],
  [200, 31],
])("%i values on %i days", (values, days) => {
  const day = daysOf(randomBySeed(), values, days);
  const whole = wholeOf(day);
  expect(decodedDays(whole, codedDays(whole, day))).toEqual(day);
});

test("a month has no more than 31 days", () => {
  const days = daysOf(randomBySeed(), 40, 32);
  expect(() => codedDays(wholeOf(days), days)).toThrow("32 days of a month");
});
