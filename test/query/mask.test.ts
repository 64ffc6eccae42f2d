import { describe, expect, test } from "bun:test";
import type { Filter } from "../../src/core/questions/query.ts";
import { QueryCache } from "../../src/query/cache/cache.ts";
import { Cancelled, QueryContext } from "../../src/query/cache/context.ts";
import { columnMasks, dictionaryMask, keyOf } from "../../src/query/rows/filters/mask.ts";
import { Dictionary } from "../../src/store/values/dictionary.ts";
import { addView, filter, siteOf } from "../support/site.ts";

function dictionaryOf(...values: readonly string[]): Dictionary {
  const dictionary = new Dictionary(1_000);
  for (const value of values) dictionary.intern(value);
  return dictionary;
}

/** The mask, and the values that were looked at for it. */
function masked(dictionary: Dictionary, cache: QueryCache, ...filters: readonly Filter[]) {
  const looked: string[] = [];
  const forms = (value: string) => {
    looked.push(value);
    return [value];
  };
  return {
    mask: [...dictionaryMask(dictionary, forms, filters, new QueryContext(siteOf({}), cache))],
    looked,
  };
}

describe("the mask of a dictionary", () => {
  const startsWithA = filter("browser", "starts_with", "a");

  test("has a byte for each id; the overflow is matched by negative operators alone", () => {
    const dictionary = dictionaryOf("ab", "b", "ac");
    const cache = new QueryCache(10_000);
    expect(masked(dictionary, cache, startsWithA).mask).toEqual([0, 1, 0, 1]);
    expect(masked(dictionary, cache, filter("browser", "not_starts_with", "a")).mask).toEqual([1, 0, 1, 0]);
    expect(masked(dictionary, cache, startsWithA, filter("browser", "neq", "ab")).mask).toEqual([0, 0, 0, 1]);
    expect(masked(dictionary, cache).mask).toEqual([1, 1, 1, 1]);
  });

  test("is kept, and looks only at values that came later", () => {
    const dictionary = dictionaryOf("ab", "b");
    const cache = new QueryCache(10_000);
    expect(masked(dictionary, cache, startsWithA).looked).toEqual(["ab", "b"]);
    expect(masked(dictionary, cache, startsWithA).looked).toEqual([]);
    dictionary.intern("ac");
    dictionary.intern("c");
    expect(masked(dictionary, cache, startsWithA)).toEqual({ mask: [0, 1, 0, 1, 0], looked: ["ac", "c"] });
  });

  test("has each value looked at once, however many filters there are, and none without a filter", () => {
    const dictionary = dictionaryOf("ab", "b", "ac");
    const filters = [startsWithA, filter("browser", "not_contains", "z"), filter("browser", "neq", "AC")];
    expect(masked(dictionary, new QueryCache(0), ...filters)).toEqual({
      mask: [0, 1, 0, 0],
      looked: ["ab", "b", "ac"],
    });
    expect(masked(dictionary, new QueryCache(0))).toEqual({ mask: [1, 1, 1, 1], looked: [] });
  });

  test("is given up soon where nobody waits for it any more, however many filters there are", () => {
    const dictionary = dictionaryOf(...Array.from({ length: 2_000 }, (_, at) => `${at}`));
    let looked = 0;
    const context = new QueryContext(siteOf({}), undefined, () => looked > 100);
    const forms = (value: string) => (looked++, [value]);
    const filters = Array.from({ length: 128 }, (_, at) => filter("browser", "neq", `x${at}`));
    expect(() => dictionaryMask(dictionary, forms, filters, context)).toThrow(Cancelled);
    expect(looked).toBeLessThan(1_000);
  });

  test("is made each time where nothing can be kept", () => {
    const dictionary = dictionaryOf("ab", "b");
    for (let time = 0; time < 2; time++)
      expect(masked(dictionary, new QueryCache(0), startsWithA)).toEqual({
        mask: [0, 1, 0],
        looked: ["ab", "b"],
      });
  });
});

describe("the mask of a column of tuples", () => {
  const chrome = filter("browser", "eq", "chrome");
  const linux = filter("os", "eq", "linux");

  test("lets a tuple through whose members all are, also one that came later", () => {
    const site = siteOf(
      { browser: "Chrome", os: "Linux" },
      { browser: "Chrome", os: "iOS" },
      { browser: "Opera" },
    );
    for (const cache of [new QueryCache(10_000), new QueryCache(0)]) {
      const mask = (...filters: readonly Filter[]) => [
        ...(columnMasks(filters, new QueryContext(site, cache)).get("client") ?? []),
      ];
      const before = site.tuples.client.size;
      expect(mask(chrome, linux).slice(0, 4)).toEqual([0, 1, 0, 0]);
      addView(site, { browser: "Chrome", os: "Linux", device: `device ${before}` });
      expect(mask(chrome, linux).slice(0, 5)).toEqual([0, 1, 0, 0, 1]);
      expect(mask(chrome).slice(0, 5)).toEqual([0, 1, 1, 0, 1]);
      expect(mask(linux, chrome)).toEqual(mask(chrome, linux));
    }
  });

  test("is there for the columns that a filter speaks of", () => {
    const cache = new QueryCache(10_000);
    const columns = (...filters: readonly Filter[]) => [
      ...columnMasks(filters, new QueryContext(siteOf({}), cache)).keys(),
    ];
    expect(columns()).toEqual([]);
    expect(columns(filter("prop_name", "eq", "plan"))).toEqual([]);
    expect(
      columns(filter("country", "eq", "x"), filter("path", "eq", "/"), filter("language", "eq", "x")),
    ).toEqual(["path", "place"]);
  });
});

test("filters have one key in any order, and others another", () => {
  const [a, b] = [filter("path", "eq", "/a"), filter("os", "in", "x", "y")];
  expect(keyOf([a, b])).toBe(keyOf([b, a]));
  expect(keyOf([])).toBe("");
  const others = [
    [a],
    [b],
    [a, a, b],
    [filter("path", "neq", "/a"), b],
    [filter("referrer", "eq", "/a"), b],
    [a, filter("os", "in", "xy")],
    [a, filter("os", "in", "x,y")],
    [a, filter("os", "in", 'x","y')],
  ];
  expect(new Set([[a, b], ...others].map(keyOf)).size).toBe(others.length + 1);
});
