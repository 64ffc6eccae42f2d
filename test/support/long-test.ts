/** Tests that a whole run has time for, and `npm test` has not (rounds.ts). Their files, or others like them, stay. */
import { describe } from "bun:test";
import { isThere, nameWith, testWith } from "./needs.ts";
import { isDrawn, isWhole } from "./rounds.ts";
import { seed } from "./seed.ts";

export function longTest(name: string, run: () => void | Promise<unknown>): void {
  testWith("time", name, run);
}

/** A tour of a part of the dashboard in a browser. What `npm test` always has are `dashboard`, `looks` and `states`. */
export function describeTour(name: string, run: () => void): void {
  if (!isThere("chromium")) return describe.skip(nameWith("chromium", name), run);
  const isIn = isWhole || isDrawn(name, seed());
  describe.skipIf(!isIn)(isIn ? name : nameWith("time", name), run);
}
