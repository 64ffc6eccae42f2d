import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checksum, joinedChecksum } from "../../src/lib/hashes/checksum.ts";
import { seed } from "../support/seed.ts";

describe("checksum", () => {
  test("is CRC-32 (IEEE 802.3): the check value of its catalogue entry", () => {
    expect(checksum(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
    expect(checksum(new Uint8Array())).toBe(0);
  });

  test("continues over parts", () => {
    const bytes = fc.uint8Array({ maxLength: 200, size: "max" });
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const whole = new Uint8Array([...first, ...second]);
        expect(checksum(second, checksum(first))).toBe(checksum(whole));
      }),
      { seed: seed() },
    );
  });

  test("of two parts follows from those of both", () => {
    const bytes = fc.uint8Array({ maxLength: 200, size: "max" });
    fc.assert(
      fc.property(bytes, bytes, (first, second) => {
        const whole = checksum(new Uint8Array([...first, ...second]));
        expect(joinedChecksum(checksum(first), checksum(second), second.length)).toBe(whole);
      }),
      { seed: seed() },
    );
    const [before, long] = [Uint8Array.of(7, 1), new Uint8Array(5_000_001).fill(9)];
    const whole = checksum(long, checksum(before));
    expect(joinedChecksum(checksum(before), checksum(long), long.length)).toBe(whole);
  });

  test("sees every flipped bit", () => {
    const bytes = Uint8Array.from({ length: 64 }, (_, index) => index * 7);
    const sums = new Set([checksum(bytes)]);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      sums.add(checksum(flipped));
    }
    expect(sums.size).toBe(bytes.length * 8 + 1);
  });
});
