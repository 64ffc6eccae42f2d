import { describe, expect, test } from "bun:test";
import { hashOf, newToken, sameSecret } from "../../src/accounts/token.ts";
import { systemRandom } from "../../src/lib/random.ts";

describe("newToken", () => {
  test("is 256 bits of the given chance as base64url", () => {
    const asked: number[] = [];
    const bytes = (count: number) => {
      asked.push(count);
      return new Uint8Array(count).fill(0xff);
    };
    expect(newToken({ bytes })).toBe(`${"_".repeat(42)}8`);
    expect(asked).toEqual([32]);
  });

  test("needs no quoting in a cookie or a link and does not repeat", () => {
    const tokens = Array.from({ length: 100 }, () => newToken(systemRandom));
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(tokens).size).toBe(100);
  });
});

test("hashOf is SHA-256 in hex", () => {
  // FIPS 180-2, appendix B.1
  expect(hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("sameSecret compares secrets of any length", () => {
  expect(sameSecret("abc", "abc")).toBe(true);
  expect(sameSecret("abc", "abd")).toBe(false);
  expect(sameSecret("abc", "abcd")).toBe(false);
  expect(sameSecret("", "abc")).toBe(false);
});
