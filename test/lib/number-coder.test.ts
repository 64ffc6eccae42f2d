/** A reader of numbers returns what was written, and numbers that are alike take few bytes. */
import { expect, test } from "bun:test";
import { NumberCoder } from "../../src/lib/packing/number-coder.ts";
import { randomBySeed } from "../support/seed.ts";

const contexts = 3;

/** Codes some numbers, each in its own way. */
function code(coder: NumberCoder, numbers: readonly number[]): number[] {
  return numbers.map((number, at) => {
    if (number < 2 && at % 3 === 0) return coder.bit(at % contexts, number);
    return at % 2 === 0 ? coder.small(at % contexts, number) : coder.large(at % contexts, number);
  });
}

test("numbers of every length come back", () => {
  const random = randomBySeed();
  const lengths = Array.from({ length: 5_000 }, () => Math.floor(random() * 54));
  const numbers = [
    ...[0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 2],
    ...lengths.map((length) => Math.floor(random() * 2 ** length)),
  ];
  const writer = new NumberCoder(contexts);
  expect(code(writer, numbers)).toEqual(numbers);
  const bits = numbers.map((number, at) => (number < 2 && at % 3 === 0 ? number : NaN));
  const reader = new NumberCoder(contexts, writer.finish());
  const read = numbers.map((_, at) => {
    if (!Number.isNaN(bits[at]!)) return reader.bit(at % contexts, 0);
    return at % 2 === 0 ? reader.small(at % contexts, 0) : reader.large(at % contexts, 0);
  });
  expect(read).toEqual(numbers);
});

test("a number that nearly always comes takes a fraction of a bit", () => {
  const writer = new NumberCoder(1);
  for (let at = 0; at < 100_000; at++) writer.small(0, at % 1_000 === 0 ? 7 : 0);
  expect(writer.finish().length).toBeLessThan(400);
});

test("nothing, and codes that end too early, can be read", () => {
  const reader = new NumberCoder(1, new NumberCoder(1).finish());
  expect(reader.small(0, 0)).toBeGreaterThanOrEqual(0);
  expect(() => new NumberCoder(1, Uint8Array.of(9, 0, 0, 0, 1))).toThrow("codes have 9 bytes of 5");
});
