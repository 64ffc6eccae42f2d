import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Dictionary, dictionaryBytesMax, overflowId } from "../../src/store/values/dictionary.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

/** Texts as people and strangers send them: empty, long, of every script, equal but for an end, decomposed, BOM and NUL. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 4 }),
  fc.string({ unit: "grapheme", maxLength: 40, size: "max" }),
  fc.string({ unit: "grapheme-ascii", maxLength: 2_048, size: "max" }),
  fc.constantFrom(
    "",
    "\0",
    "\ufeff",
    "\ufeffa",
    "\ufffd",
    "é",
    "e\u0301",
    "مرحبا",
    "\u202eevil",
    "😀",
    "👩‍👩‍👧",
    "\u{10ffff}",
  ),
  fc.nat(30).map((number) => `/a/long/prefix/that/all/of/them/have/${number}`),
);
const texts = fc.array(text, { maxLength: 200, size: "max" });

/** The same as a dictionary, with a Map. */
class Model {
  readonly ids = new Map<string, number>();

  constructor(private readonly valuesMax: number) {}

  intern(value: string): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    if (this.ids.size >= this.valuesMax) return overflowId;
    this.ids.set(value, this.ids.size + 1);
    return this.ids.size;
  }
}

function expectSame(dictionary: Dictionary, { ids }: Model): void {
  expect(dictionary.size).toBe(ids.size + 1);
  for (const [value, id] of ids) expect(dictionary.value(id)).toBe(value);
  dictionary.check();
}

/** A dictionary of the same values, as a checkpoint and a recovery make it. */
function copyOf(dictionary: Dictionary, valuesMax: number): Dictionary {
  const copy = new Dictionary(valuesMax);
  const { bytes, ends } = dictionary.since(1);
  copy.append(bytes.slice(), ends.slice());
  return copy;
}

describe("Dictionary", () => {
  test("gives dense ids from 1 in the order of first use, and the values back, until it is full", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 250 }), (values, valuesMax) => {
        const dictionary = new Dictionary(valuesMax);
        const model = new Model(valuesMax);
        for (const value of values) expect(dictionary.intern(value)).toBe(model.intern(value));
        for (const value of values) expect(dictionary.intern(value)).toBe(model.intern(value));
        expectSame(dictionary, model);
      }),
      { seed: seed() },
    );
  });

  test("is the same when all values have one hash", () => {
    fc.assert(
      fc.property(texts, (values) => {
        const dictionary = new Dictionary(100, () => 0xffffffff);
        const model = new Model(100);
        for (const value of values) expect(dictionary.intern(value)).toBe(model.intern(value));
        expectSame(dictionary, model);
      }),
      { seed: seed(), numRuns: rounds(30) },
    );
  });

  test("goes on the same after it was saved in steps and loaded", () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 6 }), texts, (saved, after) => {
        const dictionary = new Dictionary(300);
        const copy = new Dictionary(300);
        for (const values of saved) {
          for (const value of values) dictionary.intern(value);
          const { bytes, ends } = dictionary.since(copy.size);
          copy.append(bytes.slice(), ends.slice());
          copy.check();
        }
        for (const value of after) expect(copy.intern(value)).toBe(dictionary.intern(value));
        expect(copy.since(1)).toEqual(dictionary.since(1));
      }),
      { seed: seed(), numRuns: rounds(30) },
    );
  });

  test("moves to another exactly what is used, whatever it is", () => {
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.boolean()), (values, chosen) => {
        const from = new Dictionary(1_000);
        for (const value of values) from.intern(value);
        const used = Uint8Array.from({ length: from.size }, () => Number(chosen.next().value));
        const to = new Dictionary(1_000);
        const model = new Model(1_000);
        const newIds = from.moveUsed(used, to);
        expect(newIds[overflowId]).toBe(overflowId);
        for (let id = 1; id < from.size; id++)
          expect(newIds[id]).toBe(used[id] ? model.intern(from.value(id)) : overflowId);
        expectSame(to, model);
      }),
      { seed: seed(), numRuns: rounds(50) },
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

  test("says how many bytes its values have, also after it was loaded", () => {
    const dictionary = new Dictionary();
    for (const value of ["xé語😀", "", "abc", "abc"]) dictionary.intern(value);
    expect([dictionary.bytes, copyOf(dictionary, 10).bytes]).toEqual([13, 13]);
    expect(dictionaryBytesMax).toBeLessThan(2 ** 32);
  });

  test("finds a value without adding it", () => {
    const dictionary = new Dictionary();
    dictionary.intern("a");
    expect([dictionary.find("a"), dictionary.find("b"), dictionary.size]).toEqual([1, overflowId, 2]);
  });

  test("is full by values after it was loaded too", () => {
    const dictionary = new Dictionary(2);
    for (const value of ["a", "b"]) dictionary.intern(value);
    const copy = copyOf(dictionary, 2);
    expect([copy.intern("c"), copy.intern("b")]).toEqual([overflowId, 2]);
  });

  test("asserts that no lone surrogate comes, which has no UTF-8", () => {
    for (const value of ["\ud800", "a\udc00", "\ude00\ud83d"])
      expect(() => new Dictionary(10).intern(value)).toThrow("lone surrogate");
  });

  test("a literal (other), the empty string and __proto__ are ordinary values", () => {
    const dictionary = new Dictionary(10);
    expect(["(other)", "", "__proto__"].map((value) => dictionary.intern(value))).toEqual([1, 2, 3]);
    expect(() => dictionary.value(overflowId)).toThrow("no value 0");
    expect(() => dictionary.value(4)).toThrow("no value 4");
  });
});
