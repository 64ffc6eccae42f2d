import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codeAt, newSecret, secretForm, stepOf } from "../../src/accounts/login/totp.ts";
import { seededRandom } from "../support/clock.ts";
import { noonMs } from "../support/records.ts";

/** The secret of RFC 6238, Appendix B: the bytes of 12345678901234567890. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const step = noonMs / 30_000;

describe("codeAt", () => {
  // RFC 6238, Appendix B, has eight digits: six are the last of them.
  test.each([
    [59, "94287082"],
    [1_111_111_109, "07081804"],
    [1_111_111_111, "14050471"],
    [1_234_567_890, "89005924"],
    [2_000_000_000, "69279037"],
    [20_000_000_000, "65353130"],
  ])("at %p s is what RFC 6238 says", (seconds, code) => {
    expect(codeAt(secret, seconds * 1_000)).toBe(code.slice(2));
    expect(codeAt(secret, seconds * 1_000 + 999)).toBe(code.slice(2));
  });
});

describe("newSecret", () => {
  test("is 160 bits in base32, each its own", () => {
    const random = seededRandom(1);
    const secrets = Array.from({ length: 100 }, () => newSecret(random));
    expect(new Set(secrets).size).toBe(100);
    for (const each of secrets) expect(each).toMatch(secretForm);
    expect(new Set(secrets.join("")).size).toBe(32);
  });

  test("has all that chance gave: RFC 4648 writes it so", () => {
    const bytes = (text: string) => ({ bytes: () => Buffer.from(text) });
    expect(newSecret(bytes("12345678901234567890"))).toBe(secret);
    expect(newSecret(bytes("\0".repeat(20)))).toBe("A".repeat(32));
  });
});

describe("stepOf", () => {
  const steps = (from: number) =>
    [-2, -1, 0, 1, 2].map((away) => stepOf(codeAt(secret, noonMs + away * 30_000), secret, noonMs, from));

  test("is that of a code of now, of the step before and of the one to come, and of no other", () => {
    expect(steps(-1)).toEqual([undefined, step - 1, step, step + 1, undefined]);
  });

  test("is none up to the step that was used", () => {
    expect(steps(step - 1)).toEqual([undefined, undefined, step, step + 1, undefined]);
    expect(steps(step)).toEqual([undefined, undefined, undefined, step + 1, undefined]);
    expect(steps(step + 1)).toEqual(new Array(5).fill(undefined));
  });

  test("passes over spaces, as apps show some", () => {
    const code = codeAt(secret, noonMs);
    expect(stepOf(`${code.slice(0, 3)} ${code.slice(3)} `, secret, noonMs, -1)).toBe(step);
  });

  test("is none for any other text", () => {
    const right = [-30_000, 0, 30_000].map((ms) => codeAt(secret, noonMs + ms));
    const property = fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{6}$/)), (text) => {
      fc.pre(!right.includes(text.replaceAll(" ", "")));
      expect(stepOf(text, secret, noonMs, -1)).toBeUndefined();
    });
    fc.assert(property);
    for (const code of right)
      for (const wrong of [code.slice(1), `0${code}`, `${code}0`, ""])
        expect(stepOf(wrong, secret, noonMs, -1)).toBeUndefined();
  });
});
