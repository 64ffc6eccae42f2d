import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { byteHash, processHash, type HashKey } from "../../src/lib/hashes/hash.ts";
import { seed } from "../support/seed.ts";

const encoder = new TextEncoder();

function keyOf(first: number, second = 7): HashKey {
  return Uint32Array.of(first, second);
}

describe("the hash of bytes", () => {
  test("is that of the range, wherever it lies, and has 32 bits", () => {
    const bytes = fc.uint8Array({ maxLength: 40, size: "max" });
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.nat(0xffffffff), (before, value, after, hashSeed) => {
        const whole = Uint8Array.from([...before, ...value, ...after]);
        const hash = byteHash(whole, before.length, before.length + value.length, keyOf(hashSeed));
        expect(hash).toBe(byteHash(value, 0, value.length, keyOf(hashSeed)));
        expect(hash).toBe(hash >>> 0);
        expect(processHash(value, 0, value.length)).toBe(processHash(value.slice(), 0, value.length));
      }),
      { seed: seed() },
    );
  });

  // The first of those that Linux tests itself by (lib/test_siphash.c, where words have 32 bits).
  test("is HalfSipHash-1-3", () => {
    const bytes = Uint8Array.from({ length: 9 }, (_, at) => at);
    const hashes = Array.from({ length: 9 }, (_, length) =>
      byteHash(bytes, 0, length, Uint32Array.of(0x03020100, 0x07060504)),
    );
    expect(hashes).toEqual([
      0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6,
      0x577999b1,
    ]);
  });

  test("is another for texts of blocks that collide where words are only multiplied", () => {
    const blocks = ["xxxaz1za", "xxxAzqzA"];
    const count = 2 ** 16;
    for (const key of [keyOf(0), keyOf(1), keyOf(0xffffffff)]) {
      const hashes = new Set<number>();
      for (let number = 0; number < count; number++) {
        const value = encoder.encode(
          Array.from({ length: 16 }, (_, at) => blocks[(number >> at) & 1] as string).join(""),
        );
        hashes.add(byteHash(value, 0, value.length, key));
      }
      // By chance, half a pair of them shares a hash.
      expect(hashes.size).toBeGreaterThan(count - 10);
    }
  });

  test("is another for another seed, another length and every flipped bit", () => {
    const value = encoder.encode("/docs/page-1");
    const hash = (bytes: Uint8Array, hashSeed = 1) => byteHash(bytes, 0, bytes.length, keyOf(hashSeed));
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
        const bucket = byteHash(value, 0, value.length, keyOf(hashSeed)) & 1_023;
        counts[bucket] = (counts[bucket] as number) + 1;
      }
      // 64 each on average, with a standard deviation of 8.
      expect(Math.min(...counts)).toBeGreaterThan(64 - 6 * 8);
      expect(Math.max(...counts)).toBeLessThan(64 + 6 * 8);
    }
  });
});
