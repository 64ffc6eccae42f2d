import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  appended,
  flag,
  integer,
  optional,
  readFields,
  rows,
  SegmentStrings,
  text,
  texts,
  word,
  wordPairs,
  words,
  writeFields,
} from "../../src/record/field.ts";
import { NewerFormat } from "../../src/lib/decoding.ts";
import { anyText } from "../support/any-record.ts";
import { seed } from "../support/seed.ts";

const fields = {
  count: integer,
  on: flag,
  once: text,
  list: texts,
  often: word,
  many: words,
  pairs: wordPairs,
  perhaps: optional(word),
  inner: rows({ often: word, on: flag }),
} as const;
const anyValue = fc.record({
  count: fc.maxSafeInteger(),
  on: fc.boolean(),
  once: anyText,
  list: fc.array(anyText),
  often: anyText,
  many: fc.array(anyText),
  pairs: fc.array(fc.tuple(anyText, anyText)),
  perhaps: fc.option(anyText, { nil: null }),
  inner: fc.array(fc.record({ often: anyText, on: fc.boolean() })),
});

describe("fields", () => {
  test("are read as they were written, from any position of the tuple", () => {
    fc.assert(
      fc.property(anyValue, fc.nat({ max: 3 }), (value, from) => {
        const strings = new SegmentStrings();
        const tuple = [
          ...Array.from({ length: from }, () => "before"),
          ...writeFields(fields, value, strings),
        ];
        expect(readFields(fields, tuple, from, strings)).toEqual(value);
      }),
      { seed: seed() },
    );
  });

  test("that were appended have their declared value in tuples from before, and their own in later ones", () => {
    const grown = { ...fields, plan: appended(word, "none"), seen: appended(optional(flag), null) } as const;
    fc.assert(
      fc.property(anyValue, anyText, (value, plan) => {
        const strings = new SegmentStrings();
        const before = writeFields(fields, value, strings);
        expect(readFields(grown, before, 0, strings)).toEqual({ ...value, plan: "none", seen: null });
        const after = { ...value, plan, seen: true };
        const later = writeFields(grown, after, strings);
        expect(readFields(grown, later, 0, strings)).toEqual(after);
        expect(() => readFields(fields, later, 0, strings)).toThrow(
          new NewerFormat("a record of 11 fields, where this one knows 9"),
        );
      }),
      { seed: seed() },
    );
  });

  test("write repeating strings as ids, and only those", () => {
    const strings = new SegmentStrings();
    const value = {
      count: 7,
      on: true,
      once: "o",
      list: ["l"],
      often: "w",
      many: ["w", "m"],
      pairs: [["m", "p"]] as const,
      perhaps: null,
      inner: [{ often: "p", on: false }],
    };
    expect(writeFields(fields, value, strings)).toEqual([
      7,
      1,
      "o",
      ["l"],
      0,
      [0, 1],
      [1, 2],
      null,
      [[2, 0]],
    ]);
    expect(strings.since(0)).toEqual(["w", "m", "p"]);
  });
});

describe("SegmentStrings", () => {
  test("numbers strings in the order of their first use, and back", () => {
    fc.assert(
      fc.property(fc.array(anyText), (values) => {
        const strings = new SegmentStrings();
        const ids = values.map((value) => strings.idOf(value));
        const distinct = [...new Set(values)];
        expect(ids).toEqual(values.map((value) => distinct.indexOf(value)));
        expect(ids.map((id) => strings.valueOf(id))).toEqual(values);
        expect(strings.since(0)).toEqual(distinct);
        expect(strings.size).toBe(distinct.length);
      }),
      { seed: seed() },
    );
  });

  test("an id that nobody defined is refused", () => {
    expect(() => new SegmentStrings().valueOf(0)).toThrow("segment string 0 is used before it is defined");
  });
});
