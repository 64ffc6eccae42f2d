import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRecord } from "../../src/record/record.ts";
import { encodeSections, type Section } from "../../src/snapshot/section.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { EarlyHits } from "../../src/store/state/early.ts";
import { loadChunk, saveChunk } from "../../src/store/files/save-chunk.ts";
import { loadEventIds, saveEventIds } from "../../src/store/files/save-beacons.ts";
import { emptySizes, extendSite, loadSite, saveSite, sizesOf } from "../../src/store/files/save.ts";
import type { Site } from "../../src/store/state/site.ts";
import { Store } from "../../src/store/state/store.ts";
import { event, load, noonMs, unload, valuesOf } from "../support/records.ts";
import { dumpBeacons, reloaded } from "../support/saved-beacons.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";
import { stored } from "../support/stored-chunk.ts";

const beaconSeed = 99n;

function emptyStore(): Store {
  const store = new Store(new Beacons(beaconSeed));
  store.addSite(1);
  store.addSite(2);
  return store;
}

function loadedFrom(...[first, ...more]: readonly Map<string, Uint8Array>[]): Site {
  const site = loadSite(first as Map<string, Uint8Array>);
  for (const sections of more) extendSite(site, sections);
  return site;
}

/** Saved to bytes and read back, as a checkpoint and a recovery do; so many beacons make a run of their own. */
function restored(store: Store, runMin: number): Store {
  const early = EarlyHits.load(JSON.parse(JSON.stringify(store.early.save())));
  const beacons = reloaded(store.beacons, beaconSeed, (count) => count >= runMin);
  const ids = loadEventIds(stored(saveEventIds(store.eventIds)));
  const copy = new Store(beacons, early, undefined, undefined, ids);
  for (const site of store.sites.values()) {
    const loaded = loadSite(stored(saveSite(site)));
    for (const chunk of site.chunks.values()) loaded.restore(loadChunk(stored(saveChunk(chunk))));
    copy.sites.set(loaded.websiteId, loaded);
  }
  return copy;
}

/** Everything that the store holds, as bytes. */
function dump(store: Store): string {
  const sections: Section[] = [];
  for (const site of store.sites.values())
    sections.push(...saveSite(site), ...[...site.chunks.values()].flatMap(saveChunk));
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(store.early.save()));
  digest.update(dumpBeacons(store.beacons)).update(dumpBeacons(store.eventIds.seen));
  for (const { name, data } of sections) digest.update(name).update(data);
  return digest.digest("hex");
}

const beacon = fc.constantFrom("", ..."abcdefghij");
const websiteId = fc.constantFrom(1, 1, 2);
const timeMs = fc.integer({ min: -3, max: 60 }).map((hours) => noonMs + 14 * 86_400_000 + hours * 3_600_000);
const text = fc.oneof(
  fc.constantFrom("", "(other)", "__proto__", "a\0b", "\u202eevil", "😀"),
  fc.string({ unit: "grapheme" }),
);
const properties = fc.array(fc.tuple(text, text), { maxLength: 3 });
const eventId = { idHash: fc.constantFrom(null, null, "1", "2", "3"), isSentId: fc.boolean() };
const record: fc.Arbitrary<LogRecord> = fc.oneof(
  fc
    .record({ b: beacon.filter(Boolean), websiteId, timeMs, path: text, properties, unique: fc.boolean() })
    .map(({ b, path, ...more }) => load(b, { ...more, values: valuesOf(path) })),
  fc
    .record({
      b: beacon.filter(Boolean),
      websiteId: fc.constantFrom(0, 1, 2),
      timeMs,
      visibleMs: fc.constantFrom(null, 0, 4_999, 80_000),
    })
    .map(({ b, ...more }) => unload(b, more)),
  fc.record({ b: beacon, websiteId, timeMs, properties, ...eventId }).map(({ b, ...more }) => event(b, more)),
  fc.record({ timeMs, month: fc.constantFrom(2, 3, 4) }).map(({ timeMs, month }) => ({
    kind: "monthsDropped" as const,
    timeMs,
    beforeMs: Date.UTC(2026, month),
  })),
);

describe("a store that was saved and loaded", () => {
  test("is the same to the byte, and goes on the same", () => {
    const traffic = fc.array(record, { maxLength: 120, size: "max" });
    fc.assert(
      fc.property(traffic, traffic, fc.constantFrom(1, 5, 1_000), (before, after, runMin) => {
        let store = emptyStore();
        for (const each of before.slice(0, 40)) store.apply(each);
        store = restored(store, runMin);
        for (const each of before.slice(40)) store.apply(each);
        const copy = restored(store, runMin);
        expect(dump(copy)).toBe(dump(store));
        expect(after.map((each) => copy.apply(each))).toEqual(after.map((each) => store.apply(each)));
        expect(dump(copy)).toBe(dump(store));
        copy.check();
      }),
      { seed: seed(), numRuns: rounds(150) },
    );
  });

  test("keeps ids of 32 bits, many chunks and many beacons", () => {
    const store = emptyStore();
    for (let row = 0; row < 70_000; row++) store.apply(load(`b${row}`, { values: valuesOf(`/page/${row}`) }));
    const copy = restored(store, 1_000);
    copy.check();
    expect(dump(copy)).toBe(dump(store));
    expect(copy.apply(unload("b69999", { visibleMs: 3 }))).toBe("done");
    expect(copy.sites.get(1)?.chunks.get(2)?.duration[69_999 - 65_536]).toBe(3);
  });
});

describe("a website that was saved bit by bit", () => {
  test("is the one that was saved whole, however often it was saved", () => {
    const traffic = fc.array(record, { maxLength: 200, size: "max" });
    fc.assert(
      fc.property(traffic, fc.infiniteStream(fc.nat(40)), (records, steps) => {
        const store = emptyStore();
        let site = store.sites.get(1) as Site;
        let since = emptySizes;
        let files: Map<string, Uint8Array>[] = [];
        const save = () => {
          // One that took the other's place shares nothing with it.
          const next = store.sites.get(1) as Site;
          if (next !== site) [site, since, files] = [next, emptySizes, []];
          files.push(stored(saveSite(site, since)));
          since = sizesOf(site);
        };
        let left = 0;
        for (const each of records) {
          store.apply(each);
          if (left-- > 0) continue;
          left = steps.next().value as number;
          save();
        }
        save();
        const copy = loadedFrom(...files);
        expect(sizesOf(copy)).toEqual(sizesOf(site));
        expect(stored(saveSite(copy))).toEqual(stored(saveSite(site)));
        for (const chunk of site.chunks.values()) copy.restore(loadChunk(stored(saveChunk(chunk))));
        copy.check();
      }),
      { seed: seed(), numRuns: rounds(60) },
    );
  });

  test("takes no file that does not go on from where it is", () => {
    const store = emptyStore();
    const site = store.sites.get(1) as Site;
    const views = (count: number) => {
      for (let row = 0; row < count; row++) {
        const name = `/${site.dictionaries[0]?.size}`;
        store.apply(load(name, { values: valuesOf(name) }));
      }
    };
    views(3);
    const first = stored(saveSite(site));
    const since = sizesOf(site);
    views(3);
    const second = stored(saveSite(site, since));
    expect(() => loadedFrom(second)).toThrow("goes on from the one before it");
    expect(() => loadedFrom(first, first)).toThrow("goes on from the one before it");
    const copy = loadedFrom(first, second);
    expect(sizesOf(copy)).toEqual(sizesOf(site));
    expect(() => extendSite(copy, second)).toThrow("goes on from the one before it");
    expect(() => extendSite(store.sites.get(2) as Site, first)).toThrow(
      "a file of website 1 is of website 2",
    );
  });

  test("is not copied where it is large: what is added later does not change what was taken", () => {
    const store = emptyStore();
    const site = store.sites.get(1) as Site;
    const path = (row: number) => `/a/path/of/some/length/${row}`;
    for (let row = 0; row < 5_000; row++) store.apply(load(`b${row}`, { values: valuesOf(path(row)) }));
    const sections = saveSite(site);
    const text = sections.find(({ name }) => name === "path.text")?.data as Uint8Array;
    expect(text.buffer).toBeInstanceOf(SharedArrayBuffer);
    const before = encodeSections(sections);
    for (let row = 5_000; row < 30_000; row++) store.apply(load(`b${row}`, { values: valuesOf(path(row)) }));
    expect(encodeSections(sections)).toEqual(before);
    expect(loadSite(stored(sections)).dictionaries[0]?.size).toBe(5_001);
  });
});
