import { beforeEach, describe, expect, test } from "bun:test";
import { bounceMs, dayMs, earlyWaitMs, visibleMsMax } from "../../src/core/hit.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { movedRow } from "../../src/store/columns/columns.ts";
import { chunkPropertiesMax, chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import { Store } from "../../src/store/state/store.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";

let store: Store;

beforeEach(() => {
  store = new Store(new Beacons(1n));
  store.addSite(1);
  store.addSite(2);
});

function chunks(websiteId = 1): Chunk[] {
  return [...(store.sites.get(websiteId)?.chunks.values() ?? [])];
}

/** Rows as [path, duration or null, flags that are not the visit's]. */
function rows(websiteId = 1): unknown[] {
  const site = store.sites.get(websiteId);
  return chunks(websiteId).flatMap((chunk) =>
    Array.from({ length: chunk.rows }, (_, row) => {
      const flags = chunk.flags[row] as number;
      const path = site?.dictionaries[0]?.value(chunk.ids.path.values[row] as number);
      const duration = flags & rowFlag.timed ? chunk.duration[row] : null;
      return [path, duration, (flags & rowFlag.evented) !== 0, (flags & rowFlag.bare) !== 0];
    }),
  );
}

/** Living properties as [row, name, value, milliseconds after noon]. */
function properties(websiteId = 1): unknown[] {
  const site = store.sites.get(websiteId);
  return chunks(websiteId).flatMap((chunk) =>
    Array.from({ length: chunk.properties }, (_, index) => index)
      .filter((index) => chunk.propertyRow[index] !== movedRow)
      .map((index) => [
        chunk.propertyRow[index],
        site?.propertyNames.value(chunk.propertyName[index] as number),
        site?.propertyValues.value(chunk.propertyValue[index] as number),
        chunk.propertyTimeMs(index) - noonMs,
      ]),
  );
}

describe("loads", () => {
  test("count, each with its flags", () => {
    expect(store.apply(load("a", { unique: true, seen: false }))).toBe("done");
    expect(store.apply(load("b", { unique: false, seen: false }))).toBe("done");
    expect(store.apply(load("c", { unique: false, seen: true }))).toBe("done");
    expect([...(chunks()[0]?.flags.subarray(0, 3) ?? [])]).toEqual([
      rowFlag.unique | rowFlag.first,
      rowFlag.first,
      0,
    ]);
    store.check();
  });

  test("of a known beacon within 24 hours are retries; of another website or later they are not", () => {
    store.apply(load("a"));
    expect(store.apply(load("a", { timeMs: noonMs + dayMs }))).toBe("duplicate");
    expect(store.apply(load("a", { websiteId: 2 }))).toBe("done");
    expect(store.apply(load("a", { timeMs: noonMs + dayMs + 1 }))).toBe("done");
    expect(rows()).toHaveLength(2);
  });

  test("of a website that is gone are missing", () => {
    store.apply(load("a"));
    store.removeSite(1);
    expect(store.apply(load("b"))).toBe("missing");
    expect(store.apply(unload("a"))).toBe("missing");
    expect(store.apply(event("a"))).toBe("missing");
    expect(store.apply(unload("a", { websiteId: 0, visibleMs: 5 }))).toBe("done");
  });

  test("with properties carry them at the time of the load", () => {
    store.apply(
      load("a", {
        properties: [
          ["plan", "pro"],
          ["plan", "free"],
        ],
      }),
    );
    expect(properties()).toEqual([
      [0, "plan", "pro", 0],
      [0, "plan", "free", 0],
    ]);
  });

  test("of two months are in two chunks, and a full chunk is followed by another", () => {
    for (let count = 0; count <= chunkRowsMax; count++) store.apply(load(`b${count}`));
    store.apply(load("april", { timeMs: Date.UTC(2026, 3, 1) }));
    expect(chunks().map(({ rows: count, monthMs }) => [count, monthMs])).toEqual([
      [chunkRowsMax, Date.UTC(2026, 2, 1)],
      [1, Date.UTC(2026, 2, 1)],
      [1, Date.UTC(2026, 3, 1)],
    ]);
    expect(store.apply(unload("b0", { visibleMs: 7 }))).toBe("done");
    expect(chunks()[0]?.duration[0]).toBe(7);
    store.check();
  });
});

describe("unloads", () => {
  test("give the time that the page was visible; the longest of several stands", () => {
    store.apply(load("a"));
    for (const visibleMs of [4_000, 9_000, 6_000]) store.apply(unload("a", { visibleMs }));
    expect(rows()).toEqual([["/", 9_000, false, false]]);
    store.check();
  });

  test("a time of 0 is known", () => {
    store.apply(load("a"));
    store.apply(unload("a", { visibleMs: 0 }));
    expect(rows()).toEqual([["/", 0, false, false]]);
    expect((chunks()[0]?.flags[0] as number) & rowFlag.short).toBeTruthy();
  });

  test("are short under five seconds only", () => {
    store.apply(load("a"));
    store.apply(unload("a", { visibleMs: bounceMs - 1 }));
    expect((chunks()[0]?.flags[0] as number) & rowFlag.short).toBeTruthy();
    store.apply(unload("a", { visibleMs: bounceMs }));
    expect((chunks()[0]?.flags[0] as number) & rowFlag.short).toBe(0);
  });

  test("without a time take the time since the load, never less than none", () => {
    store.apply(load("a"));
    store.apply(unload("a", { timeMs: noonMs - 1_000 }));
    expect(rows()).toEqual([["/", 0, false, false]]);
    store.apply(unload("a", { timeMs: noonMs + 2_500 }));
    expect(rows()).toEqual([["/", 2_500, false, false]]);
  });

  test("are late after 24 hours", () => {
    store.apply(load("a"));
    expect(store.apply(unload("a", { timeMs: noonMs + dayMs + 1 }))).toBe("late");
    expect(store.apply(unload("a", { timeMs: noonMs + dayMs }))).toBe("done");
    expect(rows()).toEqual([["/", visibleMsMax, false, false]]);
  });

  test("before their load wait for it up to ten minutes", () => {
    store.apply(unload("a", { visibleMs: 70 }));
    store.apply(unload("b", { visibleMs: 70 }));
    store.apply(load("a", { timeMs: noonMs + earlyWaitMs }));
    store.apply(load("b", { timeMs: noonMs + earlyWaitMs + 1, values: valuesOf("/b") }));
    expect(rows()).toEqual([
      ["/", 70, false, false],
      ["/b", null, false, false],
    ]);
  });

  test("before their load and without a time leave none", () => {
    store.apply(unload("a"));
    store.apply(load("a"));
    expect(rows()).toEqual([["/", null, false, false]]);
  });

  test("without a website take the latest load of any", () => {
    store.apply(load("a", { websiteId: 1 }));
    store.apply(load("a", { websiteId: 2, timeMs: noonMs + 1 }));
    store.apply(unload("a", { websiteId: 0, visibleMs: 30, timeMs: noonMs + 50 }));
    store.apply(unload("a", { websiteId: 1, visibleMs: 20, timeMs: noonMs + 50 }));
    expect([rows(1), rows(2)]).toEqual([[["/", 20, false, false]], [["/", 30, false, false]]]);
  });
});

describe("events", () => {
  test("belong to their page view, at their own time", () => {
    store.apply(load("a"));
    store.apply(event("a", { timeMs: noonMs + 5 }));
    store.apply(event("a", { timeMs: noonMs + 6, websiteId: 0, values: null, properties: [["x", ""]] }));
    expect(rows()).toEqual([["/", null, true, false]]);
    expect(properties()).toEqual([
      [0, "signup", "yes", 5],
      [0, "x", "", 6],
    ]);
  });

  test("of no page view have a row of their own that is no page view", () => {
    store.apply(event("", { values: valuesOf("/pricing") }));
    expect(rows()).toEqual([["/pricing", null, false, true]]);
    expect(properties()).toEqual([[0, "signup", "yes", 0]]);
    store.check();
  });

  test("before their load count at once, and belong to the load when it comes", () => {
    store.apply(event("a", { values: valuesOf("/e") }));
    expect(properties()).toEqual([[0, "signup", "yes", 0]]);
    store.apply(load("a", { timeMs: noonMs + 9 }));
    expect(rows()).toEqual([
      ["/e", null, false, true],
      ["/", null, true, false],
    ]);
    expect(properties()).toEqual([[1, "signup", "yes", 0]]);
    store.check();
  });

  test("before their load belong to it across the turn of a month", () => {
    const aprilMs = Date.UTC(2026, 3, 1);
    store.apply(event("a", { timeMs: aprilMs - 1_000 }));
    store.apply(load("a", { timeMs: aprilMs + 1_000 }));
    expect(properties()).toEqual([[0, "signup", "yes", aprilMs - 1_000 - noonMs]]);
    expect(chunks().map((chunk) => chunk.properties)).toEqual([1, 1]);
    store.check();
  });

  test("without a website, before their load, wait unseen", () => {
    store.apply(event("a", { websiteId: 0, values: null }));
    expect(rows()).toEqual([]);
    store.apply(load("a", { timeMs: noonMs + 9 }));
    expect(rows()).toEqual([["/", null, true, false]]);
    expect(properties()).toEqual([[0, "signup", "yes", 0]]);
  });

  test("more than 24 hours after the load: late without a website, of the website with one", () => {
    store.apply(load("a"));
    const timeMs = noonMs + dayMs + 1;
    expect(store.apply(event("a", { timeMs, websiteId: 0, values: null }))).toBe("late");
    expect(store.apply(event("a", { timeMs, values: valuesOf("/late") }))).toBe("done");
    expect(rows()).toEqual([
      ["/", null, false, false],
      ["/late", null, false, true],
    ]);
  });

  test("of no website, as a URL without a host once had it logged, are of none", () => {
    expect(store.apply(event("never", { websiteId: 0, values: valuesOf("/") }))).toBe("missing");
    expect(rows()).toEqual([]);
  });

  test("more than 24 hours before the load, by a clock that was set back, are late too and keep their time", () => {
    const mayMs = Date.UTC(2026, 4, 1);
    const timeMs = mayMs - dayMs - 1;
    store.apply(load("a", { timeMs: mayMs }));
    expect(store.apply(event("a", { timeMs, websiteId: 0, values: null }))).toBe("late");
    expect(store.apply(unload("a", { timeMs }))).toBe("late");
    expect(store.apply(event("a", { timeMs: timeMs + 1, websiteId: 0, values: null }))).toBe("done");
    const [chunk] = chunks();
    expect(chunk?.propertyTimeMs(0)).toBe(timeMs + 1);
    expect([chunk?.properties, chunk?.propertyMinMs]).toEqual([1, timeMs + 1]);
    store.check();
  });

  test("that come together have times of their own, by which they are told apart, also before their page view", () => {
    const [order, shipping] = [[["amount", "100"]], [["amount", "5"]]] as const;
    store.apply(load("a", { properties: [["plan", "free"]] }));
    store.apply(event("a", { isApart: true, values: null, properties: order }));
    store.apply(event("b", { isApart: true, values: null, properties: order, timeMs: noonMs + 5 }));
    store.apply(event("a", { isApart: true, values: null, properties: shipping }));
    store.apply(event("b", { isApart: true, values: null, properties: shipping, timeMs: noonMs + 5 }));
    store.apply(event("c", { isApart: true, properties: order, timeMs: noonMs + 5 }));
    store.apply(event("c", { isApart: true, properties: shipping, timeMs: noonMs + 5 }));
    store.apply(load("b", { timeMs: noonMs + 5, properties: [["plan", "free"]] }));
    store.apply(load("c", { timeMs: noonMs + 9, properties: [["plan", "free"]] }));
    const times = (row: number) =>
      properties()
        .filter((own) => (own as unknown[])[0] === row)
        .map((own) => (own as unknown[]).slice(2));
    expect(times(0)).toEqual([
      ["free", 0],
      ["100", 1],
      ["5", 2],
    ]);
    expect(times(3)).toEqual([
      ["free", 5],
      ["100", 6],
      ["5", 7],
    ]);
    expect(times(4)).toEqual([
      ["free", 9],
      ["100", 5],
      ["5", 6],
    ]);
    store.check();
  });

  test("have times of their own however many come together, and keep the times that they are given", () => {
    const lines = Array.from({ length: 500 }, (_, line) => [
      ["product", `${line}`] as const,
      ["amount", "100"] as const,
      ["size", "l"] as const,
    ]);
    store.apply(load("a"));
    store.apply(load("b"));
    for (const [at, line] of lines.entries()) {
      store.apply(
        event("a", { isApart: true, values: null, properties: line, timeMs: noonMs + Math.floor(at / 40) }),
      );
      if (at % 3 === 0) store.apply(event("b", { isApart: true, values: null, properties: line }));
    }
    store.apply(
      event("a", { isApart: true, values: null, properties: [["plan", "free"]], timeMs: noonMs + 9_000 }),
    );
    store.apply(
      event("a", { isApart: true, values: null, properties: [["plan", "pro"]], timeMs: noonMs + 7_000 }),
    );
    store.apply(load("c"));
    for (const ms of [600_000, 600_000, 30_000])
      store.apply(
        event("c", { isApart: true, values: null, properties: [["late", "yes"]], timeMs: noonMs + ms }),
      );
    const own = properties() as unknown as [number, string, string, number][];
    expect(own.filter(([, name]) => name === "late").map(([, , , ms]) => ms)).toEqual([
      600_000, 600_001, 30_000,
    ]);
    const sizes = (row: number) => own.filter(([of, name]) => of === row && name === "size");
    for (const row of [0, 1])
      expect(new Set(sizes(row).map(([, , , ms]) => ms)).size).toBe(sizes(row).length);
    expect(sizes(0).length).toBe(lines.length);
    expect(own.filter(([, name]) => name === "plan").map(([, , , ms]) => ms)).toEqual([9_000, 7_000]);
    store.check();
  });

  test("from before they had times of their own keep those with which they came", () => {
    store.apply(load("a"));
    for (const at of [0, 1]) {
      const more = { values: null, properties: [["amount", `${at}`]] } as const;
      store.apply(event("a", more));
      store.apply(event("b", more));
      store.apply(event("c", { ...more, values: valuesOf("/") }));
    }
    store.apply(load("b"));
    store.apply(load("c"));
    expect(properties().map((own) => (own as unknown[]).at(-1))).toEqual([0, 0, 0, 0, 0, 0]);
    store.check();
  });

  test("of a page view whose chunk has all the properties that it may have, have a row of their own", () => {
    store.apply(load("a"));
    const properties = Array.from({ length: 30 }, (_, at) => [`name ${at}`, "value"] as const);
    const most = chunkPropertiesMax / properties.length;
    for (let sent = 0; sent < most; sent++) store.apply(event("a", { values: null, properties }));
    const [first] = chunks();
    expect(first?.properties).toBe(Math.ceil(most) * properties.length);
    expect([first?.full, store.pageViewOf("a", 1, noonMs)?.takesEvents]).toEqual([true, false]);
    expect(store.apply(event("a", { websiteId: 0, values: null }))).toBe("late");
    expect(store.apply(event("a"))).toBe("done");
    expect(store.apply(unload("a", { visibleMs: 7 }))).toBe("done");
    expect(store.apply(load("a"))).toBe("duplicate");
    store.apply(load("b"));
    const [, second] = chunks();
    expect([first?.rows, second?.rows, second?.properties]).toEqual([1, 2, 1]);
    expect(first?.duration[0]).toBe(7);
    store.apply({ kind: "checkpoint", timeMs: noonMs + dayMs + 1, manifestSeq: 1 });
    expect([first?.sealed, second?.sealed]).toEqual([true, false]);
    store.check();
  });

  test("know whether they have a page view", () => {
    store.apply(load("a"));
    expect(store.pageViewOf("a", 1, noonMs + dayMs)?.takesEvents).toBeTrue();
    expect(store.pageViewOf("a", 0, noonMs)?.takesEvents).toBeTrue();
    expect(store.pageViewOf("a", 2, noonMs)?.takesEvents ?? false).toBeFalse();
    expect(store.pageViewOf("a", 1, noonMs + dayMs + 1)?.takesEvents ?? false).toBeFalse();
  });
});

test("imports append rows of the past without beacons", () => {
  store.apply(load("a"));
  const past = { timeMs: noonMs - 5_000, unique: false, seen: true, values: valuesOf("/old") };
  const record = {
    kind: "import",
    timeMs: noonMs,
    websiteId: 1,
    file: "f",
    fromPosition: 0,
    position: 9,
    digest: "d",
    loads: [past, past],
  } as const;
  expect(store.apply(record)).toBe("done");
  expect(rows()).toHaveLength(3);
  expect(chunks()[0]?.sorted).toBeFalse();
  expect(store.apply({ ...record, websiteId: 3 })).toBe("missing");
  store.check();
});
