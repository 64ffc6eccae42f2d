/** Tests that a whole run has time for, and `npm test` has not (rounds.ts). Their files, or others like them, stay. */
import { describe } from "bun:test";
import { isThere, nameWith, testWith } from "./needs.ts";
import { isWhole } from "./rounds.ts";
import { seed } from "./seed.ts";

/** A short run has one of so many groups of tours, by its seed. A hash of their names makes groups that take about as long. */
const groups = 8;

export function longTest(name: string, run: () => void | Promise<unknown>): void {
  testWith("time", name, run);
}

/** A tour of a part of the dashboard in a browser. What `npm test` always has are `dashboard`, `looks` and `states`. */
export function describeTour(name: string, run: () => void): void {
  if (!isThere("chromium")) return describe.skip(nameWith("chromium", name), run);
  const isDrawn = isWhole || (seed() + Bun.hash.murmur32v2(name)) % groups === 0;
  describe.skipIf(!isDrawn)(isDrawn ? name : nameWith("time", name), run);
}
