import { describe, expect, test } from "bun:test";
import type { PropertyRow } from "../../src/core/questions/answer.ts";
import type { PropertiesQuery } from "../../src/core/questions/query.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { answerProperties } from "../support/answers.ts";
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

test("names that are not kept apart are one row, the last, at place 10,000 at the latest", () => {
  const full = siteOf();
  for (let at = 0; at < 10_002; at++) addView(full, { properties: [[`name ${at}`, "x"]] });
  for (let at = 0; at < 2; at++) addView(full, { properties: [[null, "x"]] });
  const rows = properties(full, { limit: 5_000, offset: 5_000 });
  expect(rows).toHaveLength(5_000);
  expect(rows.at(-1)).toStrictEqual({ name: "(other)", events: 2, events_percentage: 0.02, other: true });
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
