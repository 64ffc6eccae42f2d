/** When a chunk is sealed, and that no hit changes it from then on. */
import { describe, expect, test } from "bun:test";
import { dayMs } from "../../src/core/hit.ts";
import type { RecordOf } from "../../src/record/record.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { Chunk } from "../../src/store/chunks/chunk.ts";
import { chunkRowsMax } from "../../src/store/chunks/chunk-head.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { event, imported, load, noonMs, unload } from "../support/records.ts";

const aprilMs = Date.UTC(2026, 3, 1);
const lastOfMarchMs = aprilMs - 1;

function emptyStore(): Store {
  const store = new Store(new Beacons(7n));
  store.addSite(1);
  return store;
}

function chunksOf(store: Store): Chunk[] {
  return [...(store.sites.get(1) as Site).chunks.values()];
}

const checkpoint = (timeMs: number): RecordOf<"checkpoint"> => ({
  kind: "checkpoint",
  timeMs,
  manifestSeq: 1,
});
const sealedOf = (store: Store) => chunksOf(store).map(({ sealed }) => sealed);

describe("a chunk", () => {
  test("is sealed by a checkpoint when its month is over and its newest row a day behind", () => {
    const store = emptyStore();
    store.apply(load("a", { timeMs: lastOfMarchMs }));
    store.apply(checkpoint(lastOfMarchMs + dayMs));
    expect(sealedOf(store)).toEqual([false]);
    store.apply(checkpoint(lastOfMarchMs + dayMs + 1));
    expect(sealedOf(store)).toEqual([true]);
  });

  test("of the month that goes on is open until it is full", () => {
    const store = emptyStore();
    for (let row = 0; row < chunkRowsMax - 1; row++) store.apply(load(`b${row}`));
    store.apply(checkpoint(noonMs + 10 * dayMs));
    expect(sealedOf(store)).toEqual([false]);
    store.apply(load("last"));
    store.apply(checkpoint(noonMs + dayMs));
    expect(sealedOf(store)).toEqual([false]);
    store.apply(checkpoint(noonMs + dayMs + 1));
    expect(sealedOf(store)).toEqual([true]);
    store.apply(load("next", { timeMs: noonMs + 2 * dayMs }));
    expect(sealedOf(store)).toEqual([true, false]);
  });

  test("of an import is sealed as soon as it is full", () => {
    const store = emptyStore();
    const times = Array.from({ length: chunkRowsMax + 5 }, (_, row) => noonMs + ((row * 7_919) % 1_000_000));
    for (let at = 0; at < times.length; at += 5_000)
      store.apply(imported(times.slice(at, at + 5_000), { timeMs: noonMs + 40 * dayMs }));
    expect(sealedOf(store)).toEqual([true, false]);
    store.check();
  });

  test("keeps its object, its rows and its version when it is sealed, in order or not", () => {
    const store = emptyStore();
    store.apply(load("a"));
    store.apply(load("b", { timeMs: noonMs - 60_000 }));
    const [chunk] = chunksOf(store) as [Chunk];
    const { version, time } = chunk;
    store.apply(checkpoint(aprilMs));
    expect(chunksOf(store)).toEqual([chunk]);
    expect([chunk.sealed, chunk.sorted, chunk.version]).toEqual([true, false, version]);
    expect(chunk.time).toBe(time);
    store.check();
  });
});

describe("a sealed chunk", () => {
  function sealed(): Store {
    const store = emptyStore();
    store.apply(load("a"));
    store.apply(event("bare", { timeMs: noonMs + 1 }));
    store.apply(checkpoint(aprilMs));
    expect(sealedOf(store)).toEqual([true]);
    return store;
  }

  test("takes no unload and no event, also when the clock was set back to when it was open", () => {
    const store = sealed();
    const [chunk] = chunksOf(store) as [Chunk];
    const { version } = chunk;
    expect(store.pageViewOf("a", 1, noonMs + 5)?.takesEvents ?? false).toBeFalse();
    expect(store.apply(unload("a", { timeMs: noonMs + 5, visibleMs: 3 }))).toBe("late");
    expect(store.apply(event("a", { timeMs: noonMs + 5, values: null }))).toBe("late");
    expect(store.apply(event("a", { timeMs: noonMs + 5 }))).toBe("done");
    expect(store.apply(load("a", { timeMs: noonMs + 5 }))).toBe("done");
    expect(chunk.version).toBe(version);
    expect(sealedOf(store)).toEqual([true, false]);
    store.check();
  });

  test("keeps the properties of an event whose load comes after the clock was set back", () => {
    const store = sealed();
    store.apply(load("bare", { timeMs: noonMs + 2 }));
    const [first, second] = chunksOf(store) as [Chunk, Chunk];
    expect([first.properties, second.properties]).toEqual([1, 0]);
    expect([...first.propertyRow.subarray(0, 1)]).toEqual([1]);
  });

  test("takes no rows of an import: they have a chunk of their own", () => {
    const store = sealed();
    store.apply(imported([noonMs - 5, noonMs - 4], { timeMs: aprilMs }));
    store.apply(imported([noonMs - 3], { timeMs: aprilMs }));
    expect(chunksOf(store).map(({ rows }) => rows)).toEqual([2, 3]);
    store.apply(checkpoint(aprilMs));
    expect(sealedOf(store)).toEqual([true, true]);
  });

  test("is an assertion for whoever would change it, in memory and in its file", () => {
    const [chunk] = chunksOf(sealed()) as [Chunk];
    const changes = [
      () => chunk.addRow(noonMs, { path: 1, client: 1, place: 1, source: 1, entry: 1, origin: 1 }, 0),
      () => chunk.addDuration(0, 5),
      () => chunk.markEvented(0),
      () => chunk.addProperty(0, 1, 1, noonMs),
      () => chunk.moveProperty(0),
      () => chunk.seal(),
    ];
    for (const change of changes) expect(change).toThrow("is not sealed");
    const {
      time,
      ids,
      flags,
      duration,
      visit,
      visitFlags,
      propertyName,
      propertyValue,
      propertyRow,
      propertyTime,
      propertyNumber,
    } = chunk;
    const properties = { propertyName, propertyValue, propertyRow, propertyTime, propertyNumber };
    chunk.store(() => ({ time, ids, flags, duration, visit, visitFlags, ...properties }));
    expect(chunk.resident).toBeFalse();
    for (const change of changes) expect(change).toThrow("is not sealed");
  });

  test("only a sealed one leaves memory", () => {
    const chunk = new Chunk(1, Date.UTC(2026, 2));
    expect(() => chunk.store(() => undefined as never)).toThrow("is sealed before it is stored");
  });
});
