import { expect, test } from "bun:test";
import { benchRestart, restartTable } from "../../bench/restart.ts";
import { useExecutable } from "../support/executable.ts";

const executable = useExecutable();

test("a start with sealed months and a log tail answers, from source and as the executable", async () => {
  const results = await benchRestart({ rows: 2_000, runs: 1, tail: 3_000, executable });
  expect(results.map(({ what, starts }) => [what, starts.length])).toEqual([
    ["from source", 1],
    ["the executable", 1],
  ]);
  for (const { starts } of results)
    for (const { healthMs, answerMs, started, asked } of starts) {
      expect(answerMs).toBeGreaterThan(healthMs);
      expect(asked.residentMb).toBeGreaterThan(started.anonymousMb);
    }
  expect(restartTable(results).split("\n")).toHaveLength(4);
});
