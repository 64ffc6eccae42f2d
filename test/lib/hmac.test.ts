import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { Hmac } from "../../src/lib/hashes/hmac.ts";
import { randomFrom } from "../support/random.ts";
import { seed } from "../support/seed.ts";

/** As the runtime has it. */
function expected(key: Uint8Array, text: string): bigint {
  return createHmac("sha256", key).update(text).digest().readBigUInt64LE();
}

describe("an HMAC", () => {
  test("is that of the runtime for texts of every length, also after longer ones, and of any script", () => {
    const random = randomFrom(seed());
    const key = Uint8Array.from({ length: 32 }, () => random() * 256);
    const hmac = new Hmac(key);
    const lengths = [2_000, 342, 341, ...Array.from({ length: 400 }, () => Math.floor(random() * 700))];
    for (const length of [0, ...lengths]) {
      const text = Array.from({ length }, () => (random() < 0.9 ? "a" : random() < 0.5 ? "é" : "漢")).join(
        "",
      );
      expect(hmac.first64(text)).toBe(expected(key, text));
    }
  });

  test("takes keys of any length up to a block", () => {
    for (const length of [0, 1, 63, 64]) {
      const key = new Uint8Array(length).fill(7);
      expect(new Hmac(key).first64("text")).toBe(expected(key, "text"));
    }
  });
});
