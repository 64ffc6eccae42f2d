import { describe, expect, test } from "bun:test";
import { columnNames } from "../../src/core/questions/dimension.ts";
import { dimensionIndex, storedDimensions } from "../../src/core/questions/stored-dimension.ts";
import { dayMs, earlyWaitMs } from "../../src/core/hit.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import type { Chunk } from "../../src/store/chunks/chunk.ts";
import { movedRow } from "../../src/store/columns/columns.ts";
import { hasMonthsBefore, monthsFrom, withMonths } from "../../src/store/state/rebuilding/drop.ts";
import { saveChunk } from "../../src/store/files/save-chunk.ts";
import { saveSite } from "../../src/store/files/save.ts";
import { columnMembers, Site, tupleColumns, type TupleColumn } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { longTest } from "../support/long-test.ts";
import { event, load, unload, valuesOf } from "../support/records.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";
import { rowValues } from "../support/row-values.ts";
import { addView, siteOf } from "../support/site.ts";
import { Traffic, websiteIds } from "../support/traffic.ts";

const [februaryMs, marchMs, aprilMs] = [1, 2, 3].map((month) => Date.UTC(2026, month)) as [
  number,
  number,
  number,
];

/** Everything that chunks from that month on say, without a word about ids. */
function contents(site: Site, fromMs: number): unknown[] {
  const kept = [...site.chunks.values()].filter(({ monthMs }) => monthMs >= fromMs);
  return kept.map((chunk) => ({
    head: [chunk.number, chunk.monthMs, chunk.sorted],
    bounds: [chunk.minMs, chunk.maxMs, chunk.propertyMinMs, chunk.propertyMaxMs],
    rows: Array.from({ length: chunk.rows }, (_, row) => [
      chunk.time[row],
      chunk.flags[row],
      chunk.duration[row],
      ...rowValues(site, chunk, row),
    ]),
    properties: Array.from({ length: chunk.properties }, (_, index) =>
      chunk.propertyRow[index] === movedRow
        ? null
        : [
            chunk.propertyRow[index],
            chunk.propertyTimeMs(index),
            valueOf(site.propertyNames, chunk.propertyName[index] as number),
            valueOf(site.propertyValues, chunk.propertyValue[index] as number),
          ],
    ),
  }));
}

function valueOf(dictionary: Site["propertyNames"], id: number): string | null {
  return id === 0 ? null : dictionary.value(id);
}

/** All strings that a website's files would hold, by dictionary. */
function strings(site: Site): string[][] {
  return [...site.dictionaries, site.propertyNames, site.propertyValues].map((dictionary) =>
    Array.from({ length: dictionary.size - 1 }, (_, at) => dictionary.value(at + 1)).sort(),
  );
}

/** The strings that rows and living properties have. */
function usedStrings(site: Site): string[][] {
  const used = Array.from({ length: storedDimensions.length + 2 }, () => new Set<string>());
  const order = columnNames.flatMap((name) => columnMembers[name]);
  for (const chunk of site.chunks.values()) {
    for (let row = 0; row < chunk.rows; row++)
      rowValues(site, chunk, row).forEach((value, at) => {
        if (value !== null) used[order[at] as number]?.add(value);
      });
    for (let index = 0; index < chunk.properties; index++) {
      if (chunk.propertyRow[index] === movedRow) continue;
      const name = valueOf(site.propertyNames, chunk.propertyName[index] as number);
      const value = valueOf(site.propertyValues, chunk.propertyValue[index] as number);
      if (name !== null) used[storedDimensions.length]?.add(name);
      if (value !== null) used[storedDimensions.length + 1]?.add(value);
    }
  }
  return used.map((values) => [...values].sort());
}

function usedTuples(site: Site, name: TupleColumn): Set<number> {
  const ids = [...site.chunks.values()].flatMap(({ ids, rows }) => [...ids[name].values.subarray(0, rows)]);
  return new Set(ids.filter((id) => id !== 0));
}

function bytes(site: Site): string {
  const digest = new Bun.CryptoHasher("sha256");
  for (const { name, data } of [...saveSite(site), ...[...site.chunks.values()].flatMap(saveChunk)])
    digest.update(name).update(data);
  return digest.digest("hex");
}

describe("a website without its oldest months", () => {
  test("has only what the others hold, whatever came before", () => {
    const random = randomBySeed();
    for (let world = 0; world < rounds(20); world++) {
      const traffic = new Traffic(random);
      const store = new Store(new Beacons(BigInt(world)));
      for (const websiteId of websiteIds) store.addSite(websiteId);
      for (let count = 0; count < 300; count++) store.apply(traffic.next());
      const site = store.sites.get(1) as Site;
      const months = [...new Set([...site.chunks.values()].map(({ monthMs }) => monthMs))].sort();
      const fromMs = months[Math.floor(random() * months.length)] as number;
      const before = contents(site, fromMs);
      const kept = withMonths(site, monthsFrom(fromMs));
      kept.check();
      expect(contents(kept, -Infinity)).toEqual(before);
      expect(strings(kept)).toEqual(usedStrings(kept));
      for (const name of tupleColumns) expect(kept.tuples[name].size).toBe(usedTuples(kept, name).size + 1);
      expect(kept.nextChunkNumber).toBe(site.nextChunkNumber);
      expect(hasMonthsBefore(kept, fromMs)).toBeFalse();
    }
  });

  test("is made of new objects, with the same ids each time", () => {
    const views = Array.from({ length: 50 }, (_, at) => ({
      timeMs: februaryMs + at * dayMs,
      path: `/${at % 30}`,
      browser: `B${at % 7}`,
      properties: [[`n${at % 3}`, `v${at}`]] as const,
    }));
    const site = siteOf(...views);
    const kept = withMonths(site, monthsFrom(marchMs));
    expect(bytes(withMonths(siteOf(...views), monthsFrom(marchMs)))).toBe(bytes(kept));
    expect(kept.dictionaries[0]).not.toBe(site.dictionaries[0]);
    const [chunk, old] = [kept.chunks.get(2) as Chunk, site.chunks.get(2) as Chunk];
    expect(chunk).not.toBe(old);
    expect(chunk.version).toBeGreaterThan(old.version);
  });

  test("goes on where it was: in the month's open chunk, with numbers that no chunk had", () => {
    const site = siteOf({ timeMs: februaryMs, path: "/old" }, { timeMs: marchMs, path: "/new" });
    const kept = withMonths(site, monthsFrom(marchMs));
    expect(addView(kept, { timeMs: marchMs + 1, path: "/old" })).toMatchObject({ row: 1 });
    expect(addView(kept, { timeMs: februaryMs }).chunk.number).toBe(3);
    expect(addView(kept, { timeMs: aprilMs }).chunk.number).toBe(4);
    kept.check();
  });

  test("may have nothing left", () => {
    const site = siteOf({ timeMs: februaryMs, path: "/old", properties: [["a", "b"]] });
    const kept = withMonths(site, monthsFrom(marchMs));
    expect(strings(kept).flat()).toEqual([]);
    expect(kept.chunks.size).toBe(0);
    kept.check();
  });

  test("leaves rows of (other) what they are", () => {
    const site = new Site(1);
    addView(site, { timeMs: februaryMs, device: "Phone" });
    addView(site, { timeMs: marchMs, device: null });
    const kept = withMonths(site, monthsFrom(marchMs));
    const { chunk, row } = addView(kept, { timeMs: marchMs, device: "Phone" });
    const device = columnNames.flatMap((name) => columnMembers[name]).indexOf(dimensionIndex.device);
    expect(rowValues(kept, chunk, 0)[device]).toBeNull();
    expect(rowValues(kept, chunk, row)[device]).toBe("Phone");
    kept.check();
  });

  longTest("needs 32 bits for ids only while there are that many", () => {
    const site = new Site(1);
    for (let at = 0; at < 66_000; at++) addView(site, { timeMs: februaryMs, path: `/${at}` });
    addView(site, { timeMs: marchMs, path: "/65999" });
    expect(site.chunks.get(3)?.ids.path.values).toBeInstanceOf(Uint32Array);
    const kept = withMonths(site, monthsFrom(marchMs));
    expect(kept.chunks.get(3)?.ids.path.values).toBeInstanceOf(Uint16Array);
    expect(contents(kept, marchMs)).toEqual(contents(site, marchMs));
    for (let at = 0; at < 66_000; at++) addView(kept, { timeMs: aprilMs, path: `/${at}` });
    const again = withMonths(kept, monthsFrom(marchMs));
    expect(contents(again, marchMs)).toEqual(contents(kept, marchMs));
    again.check();
  });
});

describe("a store that drops months", () => {
  function storeOf(...records: Parameters<Store["apply"]>[0][]): Store {
    const store = new Store(new Beacons(1n));
    for (const websiteId of websiteIds) store.addSite(websiteId);
    for (const record of records) store.apply(record);
    return store;
  }
  const drop = { kind: "monthsDropped", timeMs: aprilMs, beforeMs: marchMs } as const;
  const lateFebruary = marchMs - 60_000;

  test("does so for all websites, and leaves alone those that have nothing to drop", () => {
    const store = storeOf(
      load("a", { timeMs: lateFebruary }),
      load("b", { timeMs: marchMs }),
      load("c", { timeMs: marchMs, websiteId: 2 }),
    );
    const young = store.sites.get(2);
    expect(store.hasMonthsBefore(marchMs)).toBeTrue();
    expect(store.hasMonthsBefore(februaryMs)).toBeFalse();
    expect(store.apply(drop)).toBe("done");
    expect(store.hasMonthsBefore(marchMs)).toBeFalse();
    expect(store.sites.get(2)).toBe(young as Site);
    expect([...(store.sites.get(1) as Site).chunks.keys()]).toEqual([2]);
    store.check();
  });

  test("keeps ids and chunks while few of the bytes of names are of no row any more", () => {
    const drops = (gone: string) => {
      const store = storeOf(
        load("gone", { timeMs: lateFebruary, values: valuesOf(gone) }),
        load("stays", { timeMs: marchMs, values: valuesOf("/stays") }),
      );
      const site = store.sites.get(1) as Site;
      const chunk = site.chunks.get(2);
      const before = contents(site, marchMs);
      expect(store.apply({ ...drop, deadPercent: 30 })).toBe("done");
      const kept = store.sites.get(1) as Site;
      expect(contents(kept, -Infinity)).toEqual(before);
      expect([...kept.chunks.keys()]).toEqual([2]);
      store.check();
      expect(kept === site).toBe(kept.chunks.get(2) === chunk);
      return { isSame: kept === site, paths: strings(kept)[0] };
    };
    expect(drops("/gone")).toEqual({ isSame: true, paths: ["/gone", "/stays"] });
    expect(drops(`/gone${"!".repeat(200)}`)).toEqual({ isSame: false, paths: ["/stays"] });
  });

  test("finds the page views that stay by their beacons, and calls hits for the others late", () => {
    const store = storeOf(load("gone", { timeMs: lateFebruary }), load("stays", { timeMs: marchMs }), drop);
    expect(store.apply(unload("stays", { timeMs: marchMs + 9, visibleMs: 9 }))).toBe("done");
    expect(store.sites.get(1)?.chunks.get(2)?.duration[0]).toBe(9);
    expect(store.apply(unload("gone", { timeMs: marchMs + 9, visibleMs: 9 }))).toBe("late");
    const gone = event("gone", { timeMs: marchMs + 9, websiteId: 0, values: null });
    expect(store.apply(gone)).toBe("late");
    expect(store.pageViewOf("gone", 1, marchMs + 9)?.takesEvents ?? false).toBeFalse();
    expect(store.apply(event("gone", { timeMs: marchMs + 9, values: valuesOf("/own") }))).toBe("done");
    expect(store.apply(load("gone", { timeMs: marchMs + 10 }))).toBe("done");
    store.check();
  });

  test("forgets what still waits for its load, with the row that it may have", () => {
    const waiting = event("soon", { timeMs: lateFebruary, properties: [["secret", "x"]] });
    const store = storeOf(
      waiting,
      event("soon", { ...waiting, websiteId: 0, values: null }),
      unload("soon", { timeMs: lateFebruary, visibleMs: 7 }),
      unload("later", { timeMs: marchMs, visibleMs: 8 }),
      drop,
    );
    expect(JSON.stringify(store.early.save())).not.toContain("secret");
    expect(lateFebruary + earlyWaitMs).toBeGreaterThan(marchMs);
    store.apply(load("soon", { timeMs: marchMs + 1 }));
    store.apply(load("later", { timeMs: marchMs + 1 }));
    const chunk = store.sites.get(1)?.chunks.get(2) as Chunk;
    expect([...chunk.duration.subarray(0, 2)]).toEqual([0, 8]);
    expect(chunk.properties).toBe(0);
    store.check();
  });

  test("keeps the properties of a page view that stays, also those that came before its month", () => {
    const early = event("soon", { timeMs: lateFebruary, properties: [["name", "value"]] });
    const store = storeOf(early, load("soon", { timeMs: marchMs + 1 }), drop);
    const site = store.sites.get(1) as Site;
    expect(contents(site, marchMs)).toMatchObject([{ properties: [[0, lateFebruary, "name", "value"]] }]);
  });

  test("has no string of a property that moved to a month that was dropped", () => {
    // The clock was set back between the event and its load.
    const early = event("soon", { timeMs: marchMs + 1, properties: [["secret", "secret"]] });
    const store = storeOf(early, load("soon", { timeMs: lateFebruary }), drop);
    expect(strings(store.sites.get(1) as Site).flat()).not.toContain("secret");
    store.check();
  });
});
