import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Dictionary, overflowId } from "../../src/store/dictionary.ts";
import { seed } from "../support/seed.ts";

describe("Dictionary", () => {
  test("gives dense ids from 1 in the order of first use, and the values back", () => {
    const values = fc.array(fc.string({ unit: "binary", maxLength: 4 }), { maxLength: 200 });
    fc.assert(
      fc.property(values, (given) => {
        const dictionary = new Dictionary(1_000);
        const ids = given.map((value) => dictionary.intern(value));
        expect(ids.map((id) => dictionary.value(id))).toEqual(given);
        expect(dictionary.size).toBe(new Set(given).size + 1);
        dictionary.check();
      }),
      { seed: seed() },
    );
  });

  test("counts new values as overflow when it is full, and still knows the old ones", () => {
    const dictionary = new Dictionary(2);
    expect([dictionary.intern("a"), dictionary.intern("b")]).toEqual([1, 2]);
    expect(dictionary.intern("c")).toBe(overflowId);
    expect(dictionary.intern("a")).toBe(1);
    expect(dictionary.size).toBe(3);
  });

  test("moves the values that are used to another, which has room for as many again", () => {
    const from = new Dictionary(3);
    for (const value of ["a", "b", "c"]) from.intern(value);
    const to = new Dictionary(3);
    expect([...from.moveUsed(Uint8Array.of(1, 0, 1, 1), to)]).toEqual([overflowId, 0, 1, 2]);
    expect([to.value(1), to.value(2), to.size]).toEqual(["b", "c", 3]);
    expect([to.intern("c"), to.intern("d"), to.intern("e")]).toEqual([2, 3, overflowId]);
    to.check();
  });

  test("is full by characters too", () => {
    const dictionary = new Dictionary(1_000_000);
    const large = "x".repeat(1024 * 1024);
    for (let count = 0; count < 63; count++) expect(dictionary.intern(large + count)).toBe(count + 1);
    expect(dictionary.intern(`${large}${large}`)).toBe(overflowId);
    expect(dictionary.intern("small")).toBe(64);
  });

  test("a literal (other), the empty string and __proto__ are ordinary values", () => {
    const dictionary = new Dictionary(10);
    expect(["(other)", "", "__proto__"].map((value) => dictionary.intern(value))).toEqual([1, 2, 3]);
    expect(() => dictionary.value(overflowId)).toThrow("no value 0");
    expect(() => dictionary.value(4)).toThrow("no value 4");
  });
});
