import { describe, expect, test } from "bun:test";
import { propertyNamesMax } from "../../src/core/dimension.ts";
import type { PropertiesQuery, PropertyRow } from "../../src/core/query.ts";
import { answerProperties } from "../../src/query/answer.ts";
import { Derived } from "../../src/query/derived.ts";
import { Work } from "../../src/query/work.ts";
import { Beacons } from "../../src/store/beacons.ts";
import type { Site } from "../../src/store/site.ts";
import { Store } from "../../src/store/store.ts";
import { event, load, noonMs } from "../support/records.ts";
import { addView, everything, filter, siteOf } from "../support/site.ts";

function properties(site: Site, more: Partial<PropertiesQuery> = {}): PropertyRow[] {
  return answerProperties(site, { ...everything, list: "properties", ...more });
}

const site = siteOf(
  {
    path: "/a",
    properties: [
      ["plan", "pro"],
      ["color", "red"],
    ],
  },
  {
    path: "/b",
    properties: [
      ["plan", "free"],
      ["plan", "free"],
    ],
  },
  { path: "/c", bare: true, properties: [["Plan", "pro"]] },
);

test("one row a name, an event being one property on one hit", () => {
  expect(properties(site)).toStrictEqual([
    { name: "plan", events: 3, events_percentage: 60 },
    { name: "Plan", events: 1, events_percentage: 20 },
    { name: "color", events: 1, events_percentage: 20 },
  ]);
});

test("one row a name and value where a name is asked for", () => {
  expect(properties(site, { filters: [filter("prop_name", "eq", "plan")] })).toStrictEqual([
    { name: "plan", value: "free", events: 2, events_percentage: 50 },
    { name: "Plan", value: "pro", events: 1, events_percentage: 25 },
    { name: "plan", value: "pro", events: 1, events_percentage: 25 },
  ]);
});

describe("filters", () => {
  const ask = (...filters: ReturnType<typeof filter>[]) =>
    properties(site, { filters }).map(({ name, events }) => [name, events]);

  test("on properties select properties themselves", () => {
    expect(ask(filter("prop_value", "eq", "pro"))).toEqual([
      ["Plan", 1],
      ["plan", 1],
    ]);
    expect(properties(site, { filters: [filter("prop_name", "in", "color")] })).toStrictEqual([
      { name: "color", events: 1, events_percentage: 100 },
    ]);
    expect(ask(filter("prop_name", "neq", "plan"))).toEqual([["color", 1]]);
  });
  test("on dimensions select by the page view, or by the event's own request", () => {
    expect(ask(filter("path", "eq", "/b"))).toEqual([["plan", 2]]);
    expect(ask(filter("path", "eq", "/c"))).toEqual([["Plan", 1]]);
  });
  test("of both kinds hold together", () => {
    expect(ask(filter("path", "neq", "/c"), filter("prop_value", "eq", "pro"))).toEqual([["plan", 1]]);
    expect(ask(filter("path", "eq", "/a"), filter("prop_value", "eq", "free"))).toEqual([]);
  });
});

describe("time", () => {
  const store = new Store(new Beacons(1n));
  store.addSite(1);
  const hour = 3_600_000;
  store.apply(load("a", { timeMs: noonMs, properties: [["on load", "1"]] }));
  store.apply(event("a", { timeMs: noonMs + hour, properties: [["later", "1"]] }));
  const [shop] = [...store.sites.values()] as [Site];
  const names = (startMs: number, endMs: number) =>
    properties(shop, { period: { startMs, endMs } }).map(({ name }) => name);

  test("is the property's own, both ends of the period inclusive", () => {
    expect(names(noonMs, noonMs)).toEqual(["on load"]);
    expect(names(noonMs + hour, noonMs + hour)).toEqual(["later"]);
    expect(names(noonMs + 1, noonMs + hour - 1)).toEqual([]);
  });

  test("of a property that came before its load is when it came, and it counts once", () => {
    const atMidnight = Date.UTC(2026, 3, 1);
    store.apply(event("early", { timeMs: atMidnight - 1_000, properties: [["early", "1"]] }));
    expect(names(atMidnight - 1_000, atMidnight)).toEqual(["early"]);
    store.apply(load("early", { timeMs: atMidnight + 1_000 }));
    expect(names(atMidnight - 1_000, atMidnight - 1_000)).toEqual(["early"]);
    expect(properties(shop).map(({ name, events }) => [name, events])).toEqual([
      ["early", 1],
      ["later", 1],
      ["on load", 1],
    ]);
  });
});

test("names past the limit are one row, the last", () => {
  const full = siteOf();
  for (let at = 0; at < propertyNamesMax + 2; at++)
    addView(full, { properties: [[at < propertyNamesMax ? `name ${at}` : `late ${at}`, "x"]] });
  const rows = properties(full, { limit: 5_000, offset: 5_000 }).concat(
    properties(full, { limit: 5_000, offset: 10_000 }),
  );
  expect(rows.at(-1)).toStrictEqual({ name: "(other)", events: 2, events_percentage: 0.02, other: true });
  expect(rows).toHaveLength(propertyNamesMax + 1 - 5_000);
  const positive = properties(full, { filters: [filter("prop_name", "contains", "")], offset: 5_000 });
  expect(positive.some(({ other }) => other === true)).toBe(false);
});

test("order is by events, then name, then value, by code unit", () => {
  const tied = siteOf({
    properties: [
      ["n", "b"],
      ["n", "B"],
      ["n", "a"],
      ["n", "c"],
      ["n", "c"],
    ],
  });
  const rows = properties(tied, { filters: [filter("prop_name", "eq", "N")] });
  expect(rows.map(({ value }) => value)).toEqual(["c", "B", "a", "b"]);
});

describe("events of a chunk that takes no more hits", () => {
  /** Two properties of a page view long ago, and one of now. */
  function ofTwoMonths(): Site {
    return siteOf(
      {
        path: "/a",
        properties: [
          ["plan", "pro"],
          ["color", "red"],
        ],
      },
      { timeMs: noonMs + 40 * 86_400_000, properties: [["plan", "free"]] },
    );
  }

  function ask(of: Site, derived: Derived, more: Partial<PropertiesQuery> = {}) {
    const work = new Work(derived);
    const rows = answerProperties(of, { ...everything, list: "properties", ...more }, work);
    return [rows.map(({ name, value, events }) => [name, value, events].join()), work.rowsRead];
  }

  test("are counted once, by filters, and by name or value", () => {
    const [own, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    const all = ["plan,,2", "color,,1"];
    expect(ask(own, derived)).toEqual([all, 3]);
    expect(ask(own, derived)).toEqual([all, 1]);
    const plan = { filters: [filter("prop_name", "eq", "plan")] };
    for (const read of [3, 1]) expect(ask(own, derived, plan)).toEqual([["plan,free,1", "plan,pro,1"], read]);
    const page = { filters: [filter("path", "eq", "/a")] };
    for (const read of [3, 1]) expect(ask(own, derived, page)).toEqual([["color,,1", "plan,,1"], read]);
    expect(ask(own, derived)).toEqual([all, 1]);
  });

  test("are counted again when one came, and in a part of their time", () => {
    const [own, derived] = [ofTwoMonths(), new Derived(1_000_000)];
    ask(own, derived);
    const period = { startMs: noonMs + 1, endMs: Infinity };
    expect(ask(own, derived, { period })).toEqual([["plan,,1"], 1]);
    addView(own, { timeMs: noonMs + 1, properties: [["size", "xl"]] });
    expect(ask(own, derived)).toEqual([["plan,,2", "color,,1", "size,,1"], 4]);
    expect(ask(own, derived, { period })).toEqual([["plan,,1", "size,,1"], 4]);
  });
});
