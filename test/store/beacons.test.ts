import { describe, expect, test } from "bun:test";
import { pageViewOpenMs } from "../../src/core/hit.ts";
import { Beacons, type BeaconEntry } from "../../src/store/beacons.ts";
import { decodeSections, encodeSections } from "../../src/snapshot/section.ts";
import { loadBeacons, saveBeacons } from "../../src/store/save.ts";
import { noonMs } from "../support/records.ts";

const any = () => true;

function entry(row: number, more: Partial<BeaconEntry> = {}): BeaconEntry {
  return { websiteId: 1, chunkNumber: 1, row, loadMs: noonMs, ...more };
}

describe("Beacons", () => {
  test("finds each of many, and no other", () => {
    const beacons = new Beacons(7n);
    for (let row = 0; row < 10_000; row++) beacons.add(`b${row}`, entry(row));
    for (let row = 0; row < 10_000; row++) expect(beacons.find(`b${row}`, any)).toEqual(entry(row));
    expect(beacons.find("b10000", any)).toBeUndefined();
  });

  test("tells websites apart, and finds the latest of any", () => {
    const beacons = new Beacons(7n);
    beacons.add("b", entry(1, { websiteId: 1, loadMs: noonMs + 2 }));
    beacons.add("b", entry(2, { websiteId: 2, loadMs: noonMs + 3 }));
    beacons.add("b", entry(3, { websiteId: 3, loadMs: noonMs + 1 }));
    expect(beacons.find("b", any)?.row).toBe(2);
    expect(beacons.find("b", (id) => id === 3)?.row).toBe(3);
    expect(beacons.find("b", (id) => id === 4)).toBeUndefined();
  });

  test("keeps a page view for at least a day, and forgets it within two", () => {
    const beacons = new Beacons(7n);
    beacons.add("first", entry(1));
    beacons.add("later", entry(2, { loadMs: noonMs + pageViewOpenMs }));
    beacons.add("day 2", entry(3, { loadMs: noonMs + pageViewOpenMs + 1 }));
    expect(beacons.find("first", any)?.row).toBe(1);
    expect(beacons.find("later", any)?.row).toBe(2);
    beacons.add("day 3", entry(4, { loadMs: noonMs + 2 * pageViewOpenMs + 2 }));
    expect(beacons.find("first", any)).toBeUndefined();
    expect(beacons.find("day 2", any)?.row).toBe(3);
  });

  test("what is saved is seen where it lies, and stays as it was while more come", () => {
    const beacons = new Beacons(7n);
    for (let row = 0; row < 5_000; row++) beacons.add(`b${row}`, entry(row));
    const sections = saveBeacons(beacons);
    const rows = sections.find(({ name }) => name === "beacons.young.row")?.data as Uint8Array;
    expect(rows.buffer).toBeInstanceOf(SharedArrayBuffer);
    const before = encodeSections(sections);
    for (let row = 5_000; row < 40_000; row++) beacons.add(`b${row}`, entry(row));
    expect(encodeSections(sections)).toEqual(before);
    const copy = loadBeacons(decodeSections(before, "state"), 7n);
    for (let row = 0; row < 5_000; row++) expect(copy.find(`b${row}`, any)).toEqual(entry(row));
    expect(copy.find("b5000", any)).toBeUndefined();
    copy.add("b5000", entry(5_000));
    expect(copy.find("b5000", any)).toEqual(entry(5_000));
  });

  test("has room for a day like the one before", () => {
    const beacons = new Beacons(7n);
    for (let row = 0; row < 5_000; row++) beacons.add(`b${row}`, entry(row));
    beacons.add("next day", entry(1, { loadMs: noonMs + pageViewOpenMs + 1 }));
    const { row } = beacons.young.columns;
    for (let at = 1; at < 5_000; at++)
      beacons.add(`c${at}`, entry(at, { loadMs: noonMs + pageViewOpenMs + 1 }));
    expect(beacons.young.columns.row).toBe(row);
    expect(beacons.find("c4999", any)?.row).toBe(4_999);
    expect(beacons.find("b4999", any)?.row).toBe(4_999);
  });

  test("another seed, another place: nobody can choose beacons that collide", () => {
    const slots = (seed: bigint) => {
      const beacons = new Beacons(seed);
      for (let row = 0; row < 100; row++) beacons.add(`b${row}`, entry(row));
      return beacons.young.columns.hashLow;
    };
    expect(slots(1n)).not.toEqual(slots(2n));
    expect(slots(1n)).toEqual(slots(1n));
  });
});
