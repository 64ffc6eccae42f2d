import { expect, test } from "bun:test";
import { RefusedBeacons } from "../../src/engine/admission/refused-beacons.ts";

const refused = (lastMs: number, websiteId = 1) => ({ websiteId, reason: "crawler" as const, lastMs });

test("a beacon is known on its website, and where no website is named", () => {
  const beacons = new RefusedBeacons();
  beacons.add("a", refused(0));
  expect([0, 1, 2].map((websiteId) => beacons.find("a", websiteId, 1))).toEqual([
    "crawler",
    "crawler",
    undefined,
  ]);
  expect(beacons.websiteOf("a")).toBe(1);
  beacons.delete("a");
  expect(beacons.find("a", 1, 1)).toBeUndefined();
});

test("what nobody can name again is not remembered", () => {
  const beacons = new RefusedBeacons();
  beacons.add("", refused(0));
  beacons.add("a", refused(0, 0));
  expect(beacons.size).toBe(0);
});

test("there are never too many, and those used longest ago go first", () => {
  const beacons = new RefusedBeacons();
  for (let at = 0; at < 40_000; at++) {
    beacons.add(`b${at}`, refused(at));
    beacons.find("b0", 1, at);
  }
  expect(beacons.size).toBe(32_768);
  expect(["b0", "b1", "b39999"].map((beacon) => beacons.find(beacon, 1, 40_000))).toEqual([
    "crawler",
    undefined,
    "crawler",
  ]);
});

test("those whose time is over go when another comes", () => {
  const beacons = new RefusedBeacons();
  for (let at = 0; at < 100; at++) beacons.add(`b${at}`, refused(at));
  beacons.add("later", refused(600_050));
  expect(beacons.size).toBe(50);
});
