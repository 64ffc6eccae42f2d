import { describe, expect, test } from "bun:test";
import { beaconKnownMs } from "../../src/core/hit.ts";
import { saveRun } from "../../src/store/beacons/beacon-run.ts";
import { BeaconTable, type BeaconPlace } from "../../src/store/beacons/beacon-table.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { encodeSections } from "../../src/snapshot/section.ts";
import { randomFrom } from "../support/random.ts";
import { noonMs } from "../support/records.ts";
import { dumpBeacons, reloaded, runOf } from "../support/saved-beacons.ts";
import { seed } from "../support/seed.ts";

const any = () => noonMs;

function place(row: number, more: Partial<BeaconPlace> = {}): BeaconPlace {
  return { websiteId: 1, chunkNumber: 1, row, ...more };
}

function filled(count: number, beacons = new Beacons(7n), loadMs = noonMs): Beacons {
  for (let row = 0; row < count; row++) beacons.add(`b${row}`, place(row), loadMs);
  return beacons;
}

/** Recent entries become a run. */
function intoRun(beacons: Beacons, generation = beacons.young): void {
  beacons.store(generation, runOf(`run ${generation.runs.length}`, generation.recent));
}

describe("Beacons", () => {
  test("finds each of many, and no other, in memory and in runs", () => {
    const beacons = filled(4_000);
    intoRun(beacons);
    for (let row = 4_000; row < 7_000; row++) beacons.add(`b${row}`, place(row), noonMs);
    intoRun(beacons);
    for (let row = 7_000; row < 10_000; row++) beacons.add(`b${row}`, place(row), noonMs);
    expect(beacons.young).toMatchObject({ count: 10_000, recent: { count: 3_000 } });
    for (let row = 0; row < 10_000; row++) expect(beacons.find(`b${row}`, any)).toEqual(place(row));
    for (let row = 10_000; row < 20_000; row++) expect(beacons.find(`b${row}`, any)).toBeUndefined();
  });

  test("keeps room for as many again, but none in the older generation, to which nothing is added", () => {
    const beacons = filled(10_000);
    intoRun(beacons);
    expect(beacons.young.recent.columns.row.length).toBeGreaterThanOrEqual(10_000);
    const laterMs = noonMs + beaconKnownMs + 1;
    for (let row = 10_000; row < 30_000; row++) beacons.add(`b${row}`, place(row), noonMs);
    beacons.add("later", place(0, { chunkNumber: 2 }), laterMs);
    const { old } = beacons;
    intoRun(beacons, old);
    expect(old.recent.columns.row.length).toBeLessThan(1_000);
    for (let row = 0; row < 30_000; row++) expect(beacons.find(`b${row}`, any)).toEqual(place(row));
  });

  test("tells websites apart, and finds the latest of any, the last of those that are equally late", () => {
    for (const runAfter of [0, 1, 2, 3, 4]) {
      const beacons = new Beacons(7n);
      const lateness = [2, 3, 1, 3];
      lateness.forEach((_, at) => {
        if (at === runAfter) intoRun(beacons);
        beacons.add("b", place(at + 1, { websiteId: at + 1 }), noonMs);
      });
      const ofSite = (ids: readonly number[]) => (found: BeaconPlace) =>
        ids.includes(found.websiteId) ? noonMs + (lateness[found.websiteId - 1] as number) : undefined;
      expect(beacons.find("b", ofSite([1, 2, 3, 4]))?.row).toBe(4);
      expect(beacons.find("b", ofSite([1, 2, 3]))?.row).toBe(2);
      expect(beacons.find("b", ofSite([3]))?.row).toBe(3);
      expect(beacons.find("b", ofSite([5]))).toBeUndefined();
      const gone = ({ websiteId }: BeaconPlace) => (websiteId === 3 ? noonMs : -Infinity);
      expect(beacons.find("b", gone)?.row).toBe(3);
      expect(beacons.find("b", () => -Infinity)?.row).toBe(4);
    }
  });

  test("finds the latest of two generations, and not one that takes no more hits", () => {
    const beacons = new Beacons(7n);
    const laterMs = noonMs + beaconKnownMs + 1;
    beacons.add("b", place(1), noonMs);
    beacons.add("b", place(2, { websiteId: 2 }), laterMs);
    expect(beacons).toMatchObject({ old: { count: 1 }, young: { count: 1 } });
    const found = (...ms: (number | undefined)[]) => beacons.find("b", ({ row }) => ms[row - 1])?.row;
    expect(found(noonMs, laterMs)).toBe(2);
    expect(found(noonMs, -Infinity)).toBe(1);
    expect(found(noonMs, undefined)).toBe(1);
    expect(found(-Infinity, -Infinity)).toBe(2);
    expect(found(noonMs, noonMs)).toBe(2);
    expect(found(laterMs, noonMs)).toBe(1);
  });

  test("keeps a page view for at least two days, and forgets it within four", () => {
    const beacons = new Beacons(7n);
    beacons.add("first", place(1), noonMs);
    intoRun(beacons);
    beacons.add("later", place(2), noonMs + beaconKnownMs);
    beacons.add("day 2", place(3), noonMs + beaconKnownMs + 1);
    expect(beacons.find("first", any)?.row).toBe(1);
    expect(beacons.find("later", any)?.row).toBe(2);
    beacons.add("day 3", place(4), noonMs + 2 * beaconKnownMs + 2);
    expect(beacons.find("first", any)).toBeUndefined();
    expect(beacons.find("day 2", any)?.row).toBe(3);
  });

  test.each([
    ["ahead", Date.UTC(2036, 1, 7)],
    ["behind", 10_000],
  ])("a clock that was %s for a moment costs none of the two days, and adds none", (_, wrongMs) => {
    let beacons = new Beacons(7n);
    beacons.add("before", place(1), noonMs);
    beacons.add("wrong", place(2), wrongMs);
    // As a checkpoint of before has them.
    beacons = reloaded(beacons, 7n, () => false);
    beacons.add("right again", place(3), noonMs + 1);
    beacons.add("later", place(4), noonMs + 1 + beaconKnownMs);
    for (const known of ["before", "wrong", "right again", "later"])
      expect(beacons.find(known, any)).toBeDefined();
    beacons.add("day 2", place(5), noonMs + 2 + beaconKnownMs);
    expect(beacons.find("right again", any)?.row).toBe(3);
    beacons.add("day 4", place(6), noonMs + 3 + 2 * beaconKnownMs);
    for (const gone of ["before", "wrong", "right again"]) expect(beacons.find(gone, any)).toBeUndefined();
    expect(beacons.find("day 2", any)?.row).toBe(5);
  });

  test("what is saved is seen where it lies, and stays as it was while more come", () => {
    const beacons = filled(5_000);
    const columns = beacons.young.recent.filled();
    expect(columns.row.buffer).toBeInstanceOf(SharedArrayBuffer);
    const before = encodeSections(saveRun(columns));
    for (let row = 5_000; row < 40_000; row++) beacons.add(`b${row}`, place(row), noonMs);
    expect(encodeSections(saveRun(columns))).toEqual(before);
  });

  test("is the same after it was saved, whether its entries made a run or not", () => {
    for (const isRun of [true, false]) {
      const copy = reloaded(filled(5_000), 7n, () => isRun);
      expect(copy.young.runs).toHaveLength(isRun ? 1 : 0);
      expect(dumpBeacons(copy)).toBe(dumpBeacons(filled(5_000)));
      for (let row = 0; row < 5_000; row++) expect(copy.find(`b${row}`, any)).toEqual(place(row));
      expect(copy.find("b5000", any)).toBeUndefined();
      copy.add("b5000", place(5_000), noonMs);
      expect(copy.find("b5000", any)).toEqual(place(5_000));
    }
  });

  test("reads its runs when it is opened, and says each time what cannot be read", () => {
    let reads = 0;
    const damage = new Error("damaged");
    const beacons = reloaded(filled(5_000), 7n, () => true);
    const [run] = beacons.young.runs;
    if (run === undefined) throw new Error("there is a run");
    let isDamaged = true;
    const read = () => {
      reads++;
      if (isDamaged) throw damage;
      return run.read();
    };
    beacons.young.runs[0] = Object.assign(Object.create(run), { read });
    expect(() => beacons.open()).toThrow(damage);
    expect(() => beacons.open()).toThrow(damage);
    isDamaged = false;
    beacons.open();
    expect(reads).toBe(3);
  });

  test("has room for a day like the one before", () => {
    const beacons = filled(5_000);
    beacons.add("next day", place(1), noonMs + beaconKnownMs + 1);
    const { row } = beacons.young.recent.columns;
    for (let at = 1; at < 5_000; at++) beacons.add(`c${at}`, place(at), noonMs + beaconKnownMs + 1);
    expect(beacons.young.recent.columns.row).toBe(row);
    expect(beacons.find("c4999", any)?.row).toBe(4_999);
    expect(beacons.find("b4999", any)?.row).toBe(4_999);
  });

  test("another seed, another place: nobody can choose beacons that collide", () => {
    const hashes = (seed: bigint) => filled(100, new Beacons(seed)).young.recent.columns.hashLow;
    expect(hashes(1n)).not.toEqual(hashes(2n));
    expect(hashes(1n)).toEqual(hashes(1n));
  });
});

describe("a run", () => {
  test("has 15 bytes an entry and 8 a chunk, besides the heads of its sections", () => {
    const table = new BeaconTable();
    const random = randomFrom(1);
    for (let row = 0; row < 50_000; row++)
      table.add(random() * 2 ** 32, random() * 2 ** 32, place(row, { chunkNumber: row % 9 }));
    const { length } = encodeSections(saveRun(table.filled()));
    expect(length - 15 * 50_000 - 8 * 9).toBeLessThan(300);
  });

  test("finds what a search through all finds, also where hashes are not spread evenly", () => {
    const random = randomFrom(seed());
    const upTo = (count: number) => Math.floor(random() * count);
    for (let round = 0; round < 40; round++) {
      const table = new BeaconTable();
      const spread = 2 ** upTo(33);
      const base = random() < 0.5 ? 0 : 2 ** 32 - spread;
      const hash = () => [2 ** 30 * upTo(4), base + upTo(spread)] as const;
      for (let row = upTo(3_000); row > 0; row--) {
        const [low, high] = hash();
        table.add(low, high, place(row, { websiteId: 1 + upTo(3), chunkNumber: upTo(70) }));
      }
      const run = runOf("run", table);
      const wanted = Array.from({ length: 200 }, hash);
      const { hashLow, hashHigh } = table.columns;
      for (let at = 0; at < Math.min(200, table.count); at++)
        wanted.push([hashLow[at] as number, hashHigh[at] as number]);
      for (const [low, high] of [...wanted, [0, 0], [0, 2 ** 32 - 1]] as const) {
        const found: BeaconPlace[][] = [[], []];
        run.find(low, high, (each) => found[0]?.push(each));
        table.find(low, high, (each) => found[1]?.push(each));
        expect(found[0]).toEqual(found[1] as BeaconPlace[]);
      }
    }
  });
});
