/** Files that `npm test` leaves out for want of time come with another seed. */
import { expect, test } from "bun:test";
import { dirname } from "node:path";
import { inShortRun, testPaths } from "./support/longest.ts";
import { groups } from "./support/rounds.ts";

test("so many seeds in a row have every file, and each has most", () => {
  const paths = testPaths(dirname(import.meta.dir));
  for (const first of [0, 2 ** 32 - 1]) {
    const runs = Array.from({ length: groups }, (_, at) => inShortRun(paths, first + at));
    expect(runs.flat().filter((path) => path === "test/model.test.ts")).toHaveLength(groups);
    expect(new Set(runs.flat())).toEqual(new Set(paths));
    for (const run of runs) {
      expect(run.length).toBeGreaterThan(paths.length * 0.75);
      expect(run.length).toBeLessThan(paths.length);
    }
  }
});
