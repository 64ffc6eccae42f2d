import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteHash, processHash } from "../../src/lib/hashes/hash.ts";
import { seed } from "../support/seed.ts";

const encoder = new TextEncoder();

describe("the hash of bytes", () => {
  test("is that of the range, wherever it lies, and has 32 bits", () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.nat(0xffffffff), (before, value, after, hashSeed) => {
        const whole = Uint8Array.from([...before, ...value, ...after]);
        const hash = byteHash(whole, before.length, before.length + value.length, hashSeed);
        expect(hash).toBe(byteHash(value, 0, value.length, hashSeed));
        expect(hash).toBe(hash >>> 0);
        expect(processHash(value, 0, value.length)).toBe(processHash(value.slice(), 0, value.length));
      }),
      { seed: seed() },
    );
  });

  test("is another for another seed, another length and every flipped bit", () => {
    const value = encoder.encode("/docs/page-1");
    const hash = (bytes: Uint8Array, hashSeed = 1) => byteHash(bytes, 0, bytes.length, hashSeed);
    const hashes = new Set([hash(value), hash(value, 2)]);
    for (let length = 0; length < value.length; length++) hashes.add(hash(value.subarray(0, length)));
    for (let bit = 0; bit < value.length * 8; bit++) {
      const flipped = value.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      hashes.add(hash(flipped));
    }
    expect(hashes.size).toBe(2 + value.length + value.length * 8);
  });

  test("spreads values that differ in a few digits evenly over the low bits", () => {
    for (const hashSeed of [0, 1, 0xffffffff]) {
      const counts = new Uint32Array(1_024);
      for (let page = 0; page < 65_536; page++) {
        const value = encoder.encode(`/blog/category-${page % 7}/page-${page}`);
        const bucket = byteHash(value, 0, value.length, hashSeed) & 1_023;
        counts[bucket] = (counts[bucket] as number) + 1;
      }
      // 64 each on average, with a standard deviation of 8.
      expect(Math.min(...counts)).toBeGreaterThan(64 - 6 * 8);
      expect(Math.max(...counts)).toBeLessThan(64 + 6 * 8);
    }
  });
});
