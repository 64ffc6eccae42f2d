import { expect, test } from "bun:test";
import { beaconKnownMs } from "../../src/core/hit.ts";
import { BeaconFiles } from "../../src/engine/files/beacon-files.ts";
import type { MappedFiles } from "../../src/snapshot/mapped-files.ts";
import { Beacons } from "../../src/store/beacons/beacons.ts";
import { noonMs } from "../support/records.ts";

/** How many entries become runs, and of which generation, where `old` have been followed by a generation of `young`. */
function runsOf(old: number, young: number) {
  const beacons = new Beacons(7n);
  const add = (row: number, loadMs: number) =>
    beacons.add(`b${loadMs} ${row}`, { websiteId: 1, chunkNumber: 1, row }, loadMs);
  for (let row = 0; row < old; row++) add(row, noonMs);
  for (let row = 0; row < young; row++) add(row, noonMs + beaconKnownMs + 1);
  // No file is mapped for it.
  const { runs } = new BeaconFiles(beacons, undefined as unknown as MappedFiles, 320).collect(9, new Map());
  return runs.map(({ generation, count }) => [generation === beacons.old ? "old" : "young", count]);
}

test("a generation to which nothing is added any more has its last entries in a run, but not a few", () => {
  expect(runsOf(319, 319)).toEqual([["old", 319]]);
  expect(runsOf(10, 1)).toEqual([["old", 10]]);
  expect(runsOf(9, 1)).toEqual([]);
  expect(runsOf(320, 320)).toEqual([
    ["young", 320],
    ["old", 320],
  ]);
});
