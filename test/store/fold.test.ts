import { describe, expect, test } from "bun:test";
import { columnNames } from "../../src/core/questions/dimension.ts";
import { storedDimensions } from "../../src/core/questions/stored-dimension.ts";
import { hashesOf, hashesText, withoutNames } from "../../src/store/state/rebuilding/fold.ts";
import { NameUses } from "../../src/store/state/name-uses.ts";
import { columnMembers, Site } from "../../src/store/state/site.ts";
import { noonMs } from "../support/records.ts";
import { rowValues } from "../support/row-values.ts";
import { randomBySeed } from "../support/seed.ts";
import { addView, type View } from "../support/site.ts";

const hashOf = (name: string) => Bun.hash.wyhash(name, 7n);
const order = columnNames.flatMap((name) => columnMembers[name]);

function views(random: () => number, count: number): View[] {
  const pick = (values: string) => values[Math.floor(random() * values.length)] as string;
  return Array.from({ length: count }, (_, at) => ({
    timeMs: noonMs + at,
    path: `/${pick("abcdef")}`,
    referrer: pick("abcdef"),
    utm_campaign: pick("ab"),
    browser: pick("ab"),
    properties: [[pick("abc"), pick("abcdef")]],
  }));
}

/** The values of all rows, and their properties; null for what is not kept apart. */
function contents(site: Site): unknown {
  const valueOf = (dictionary: Site["propertyNames"], id: number) => (id === 0 ? null : dictionary.value(id));
  return Array.from(site.chunks.values(), (chunk) => ({
    rows: Array.from({ length: chunk.rows }, (_, row) => rowValues(site, chunk, row)),
    properties: Array.from({ length: chunk.properties }, (_, index) => [
      valueOf(site.propertyNames, chunk.propertyName[index] as number),
      valueOf(site.propertyValues, chunk.propertyValue[index] as number),
    ]),
  }));
}

describe("names that are folded", () => {
  test("are (other) in every row, and nothing else changes", () => {
    const random = randomBySeed();
    for (let round = 0; round < 20; round++) {
      const rows = views(random, 200);
      const names = {
        path: ["/a", "/b"],
        referrer: ["c", "d"],
        browser: round % 2 ? ["a"] : [],
        value: ["e", "f"],
      };
      const site = new Site(1);
      for (const view of rows) addView(site, view);
      const expected = new Site(1);
      const without = (value: string | null | undefined, folded: readonly string[]) =>
        value != null && folded.includes(value) ? null : (value as string);
      for (const view of rows)
        addView(expected, {
          ...view,
          path: without(view.path, names.path),
          referrer: without(view.referrer, names.referrer),
          browser: without(view.browser, names.browser),
          properties: (view.properties ?? []).map(([name, value]) => [name, without(value, names.value)]),
        });
      const hashes = (list: readonly string[]) => hashesOf(hashesText(list.map(hashOf)));
      const folded = withoutNames(
        site,
        new Map([
          ["path", hashes(names.path)],
          ["referrer", hashes(names.referrer)],
          ["browser", hashes(names.browser)],
          ["property.value", hashes(names.value)],
        ]),
        hashOf,
      );
      folded.check();
      expect(contents(folded)).toEqual(contents(expected));
      // Tuples that differed only in what was folded are one.
      expect(folded.tuples.source.size).toBeLessThanOrEqual(site.tuples.source.size);
      expect(folded.dictionaries[0]?.size).toBe((site.dictionaries[0]?.size as number) - 2);
    }
    expect(order).toHaveLength(storedDimensions.length);
  });

  test("may be none, and a text that is no hashes names none", () => {
    const site = new Site(1);
    addView(site, { path: "/a" });
    const folded = withoutNames(site, new Map([["path", hashesOf("AAAA")]]), hashOf);
    expect(contents(folded)).toEqual(contents(site));
  });
});

test("the uses of names are counted, with the time of the last", () => {
  const site = new Site(1);
  const at = [3, 1, 2];
  for (const [index, ms] of at.entries())
    addView(site, {
      timeMs: noonMs + ms,
      path: index === 0 ? "/a" : "/b",
      referrer: "x.example",
      properties: [["plan", String(index)]],
    });
  const uses = new NameUses(site);
  for (const chunk of site.chunks.values()) uses.add(chunk);
  addView(site, { timeMs: noonMs + 9, path: "/later" });
  const byKind = uses.byKind();
  const of = (kind: string, id: number) => [byKind.get(kind)?.counts[id], byKind.get(kind)?.lastMs[id]];
  expect(of("path", 1)).toEqual([1, noonMs + 3]);
  expect(of("path", 2)).toEqual([2, noonMs + 2]);
  expect(of("referrer", 1)).toEqual([3, noonMs + 3]);
  expect(of("property.name", 1)).toEqual([3, noonMs + 3]);
  expect(of("property.value", 3)).toEqual([1, noonMs + 2]);
});
