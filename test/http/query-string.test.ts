import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Refusal } from "../../src/core/refusal.ts";
import { parsePairs, rawQuery } from "../../src/http/parsing/query-string.ts";
import { seed } from "../support/seed.ts";

describe("parsePairs", () => {
  test.each([
    ["", []],
    [
      "a=1&b=2",
      [
        ["a", "1"],
        ["b", "2"],
      ],
    ],
    [
      "a=1&a=2",
      [
        ["a", "1"],
        ["a", "2"],
      ],
    ],
    ["a", [["a", ""]]],
    ["a=", [["a", ""]]],
    ["=b", [["", "b"]]],
    ["&&a=1&", [["a", "1"]]],
    ["a=b=c", [["a", "b=c"]]],
    ["a+b=c+d", [["a b", "c d"]]],
    ["a%2Bb=%2B", [["a+b", "+"]]],
    ["path%5Beq%5D=%2Fa%26b", [["path[eq]", "/a&b"]]],
    ["q=caf%C3%A9", [["q", "café"]]],
    ["__proto__=1", [["__proto__", "1"]]],
  ] as [string, [string, string][]][])("%p", (raw, pairs) => {
    expect(parsePairs(raw)).toEqual(pairs);
  });

  test.each([
    ["a=%", '"a": expected percent-encoded UTF-8, got "%"'],
    ["a=%zz", '"a": expected percent-encoded UTF-8, got "%zz"'],
    ["a=%C3", '"a": expected percent-encoded UTF-8, got "%C3"'],
    ["a=%ED%A0%80", '"a": expected'],
    ["%zz=1", 'query: expected percent-encoded UTF-8 in a name, got "%zz=1"'],
  ])("refuses %p", (raw, message) => {
    expect(() => parsePairs(raw)).toThrow(Refusal);
    expect(() => parsePairs(raw)).toThrow(message);
  });

  test("reads back what URLSearchParams writes", () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })));
    fc.assert(
      fc.property(pairs, (given) => {
        // An empty name with an empty value is written as a lone "=".
        expect(parsePairs(new URLSearchParams(given).toString())).toEqual(given);
      }),
      { seed: seed() },
    );
  });

  test("gives pairs or a Refusal 400 for any text", () => {
    const text = fc.string({
      unit: fc.constantFrom("%", "&", "=", "+", "[", "]", "a", "0", "F", "C", "3", "é"),
    });
    fc.assert(
      fc.property(text, (raw) => {
        try {
          for (const [name, value] of parsePairs(raw))
            expect(typeof name + typeof value).toBe("stringstring");
        } catch (error) {
          expect(error).toMatchObject({ name: "Refusal", code: 400 });
        }
      }),
      { seed: seed() },
    );
  });
});

test("rawQuery takes what follows the first question mark", () => {
  expect(rawQuery("http://localhost/a")).toBe("");
  expect(rawQuery("http://localhost/a?")).toBe("");
  expect(rawQuery("http://localhost/a?b=?&c[d]=%zz")).toBe("b=?&c[d]=%zz");
});
