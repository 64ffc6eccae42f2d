import { describe, expect, test } from "bun:test";
import { beaconKnownMs } from "../../src/core/hit.ts";
import type { RecordOf } from "../../src/record/record.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { EventIds } from "../../src/store/state/event-ids.ts";
import { Store } from "../../src/store/state/store.ts";
import { event, load, noonMs } from "../support/records.ts";

function newStore(): Store {
  const store = new Store(new Beacons(1n));
  store.addSite(1);
  store.addSite(2);
  return store;
}

function order(beacon: string, more: Partial<RecordOf<"event">> = {}) {
  return event(beacon, { properties: [["order", "paid"]], idHash: "4711", ...more });
}

/** How many properties a website has. */
function properties(store: Store, websiteId = 1): number {
  return [...store.sites.get(websiteId)!.chunks.values()].reduce((sum, chunk) => sum + chunk.properties, 0);
}

describe("an event with an id counts once", () => {
  test("of one page view, of another, and of none", () => {
    const store = newStore();
    store.apply(load("a"));
    store.apply(load("b"));
    expect(store.apply(order("a"))).toBe("done");
    expect(["a", "b", "c", ""].map((beacon) => store.apply(order(beacon)))).toEqual(
      new Array(4).fill("duplicate"),
    );
    expect(store.apply(order("a", { values: null, websiteId: 0 }))).toBe("duplicate");
    expect(properties(store)).toBe(1);
    expect(store.apply(order("a", { idHash: "4712" }))).toBe("done");
    expect(store.apply(event("a"))).toBe("done");
    expect(properties(store)).toBe(3);
  });

  test("on each website by itself", () => {
    const store = newStore();
    expect(store.apply(order(""))).toBe("done");
    expect(store.apply(order("", { websiteId: 2 }))).toBe("done");
    expect(store.apply(order("", { websiteId: 2 }))).toBe("duplicate");
  });

  test("where it came before its page view", () => {
    const store = newStore();
    expect(store.apply(order("a"))).toBe("done");
    expect(store.apply(order("a"))).toBe("duplicate");
    store.apply(load("a"));
    expect(properties(store)).toBe(2);
    // The property was moved from a row of its own to that of the page view; the place that it left still counts here.
    expect(store.apply(order("a"))).toBe("duplicate");
    expect(properties(store)).toBe(2);
  });

  test("where two waited for their page views, of a website that nobody knew", () => {
    const store = newStore();
    const refused: unknown[] = [];
    store.early.onRefused = (...one) => refused.push(one);
    const waiting = { websiteId: 0, values: null };
    for (const beacon of ["a", "a", "b"]) expect(store.apply(order(beacon, waiting))).toBe("done");
    store.apply(load("a"));
    store.apply(load("b"));
    expect(properties(store)).toBe(1);
    expect(refused).toEqual(Array(2).fill([1, "duplicate"]));
    expect(store.early.bytes).toBe(0);
    expect(store.apply(order(""))).toBe("duplicate");
  });

  test("but what does not count is not remembered", () => {
    const store = newStore();
    store.apply(load("a"));
    const dayLaterMs = noonMs + 86_400_001;
    expect(store.apply(order("a", { websiteId: 0, values: null, timeMs: dayLaterMs }))).toBe("late");
    expect(store.apply(order("", { timeMs: dayLaterMs }))).toBe("done");
  });

  test("for two days at least", () => {
    const store = newStore();
    expect(store.apply(order(""))).toBe("done");
    const laterMs = noonMs + beaconKnownMs;
    expect(store.apply(order("", { timeMs: laterMs, idHash: "1" }))).toBe("done");
    expect(store.apply(order("", { timeMs: laterMs + 1, idHash: "2" }))).toBe("done");
    expect(store.apply(order("", { timeMs: laterMs + 2 }))).toBe("duplicate");
    expect(store.apply(order("", { timeMs: laterMs + beaconKnownMs + 2, idHash: "3" }))).toBe("done");
    expect(store.apply(order("", { timeMs: laterMs + beaconKnownMs + 3 }))).toBe("done");
  });
});

describe("an id that a token sends", () => {
  test("is found by browsers, but browsers keep none of it out", () => {
    const store = newStore();
    expect(store.apply(order(""))).toBe("done");
    expect(store.apply(order("", { isSentId: true }))).toBe("done");
    expect(store.apply(order("", { isSentId: true }))).toBe("duplicate");
    expect(store.apply(order("", { idHash: "5", isSentId: true }))).toBe("done");
    expect(store.apply(order("", { idHash: "5" }))).toBe("duplicate");
  });
});

test("the number of ids is bounded: the older half goes first", () => {
  const ids = new EventIds(EventIds.table(undefined, undefined, 10));
  for (let at = 0; at < 25; at++) ids.add({ idHash: `${at}` }, 1, noonMs);
  const known = Array.from({ length: 25 }, (_, at) => ids.has({ idHash: `${at}` }, 1));
  expect(known.lastIndexOf(false)).toBe(9);
  expect(known.filter(Boolean)).toHaveLength(15);
});
