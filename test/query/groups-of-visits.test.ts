/** The groups of visits, beside a set of pairs. */
import { expect, test } from "bun:test";
import { AmountsByVisit } from "../../src/query/goals/amounts-by-visit.ts";
import type { GoalEvents } from "../../src/query/goals/goal-events.ts";
import { GroupsOfVisits } from "../../src/query/rows/groups-of-visits.ts";
import { cpuMs } from "../support/cpu-time.ts";
import { randomBySeed } from "../support/seed.ts";

const numbersMax = 2 ** 32 - 1;

test.each([
  ["a few visits with many groups", 20, 3],
  ["visits with numbers that are close", 20_000, 1],
  ["visits with any numbers", 5_000, 0],
] as const)("%s are each counted once", (_, visits, spread) => {
  const random = randomBySeed();
  const lists = new GroupsOfVisits();
  for (let round = 0; round < 3; round++) {
    const pairs = new Set<string>();
    const seen = new Set<number>();
    for (let at = 0; at < 60_000; at++) {
      const visit = 1 + Math.floor(random() * (spread === 0 ? numbersMax : visits * spread));
      const group = Math.floor(random() ** 3 * 500);
      const isNew = !pairs.has(`${visit} ${group}`);
      if (lists.add(visit, group) !== isNew)
        throw new Error(`visit ${visit}, group ${group}: new is ${!isNew}`);
      pairs.add(`${visit} ${group}`);
      seen.add(visit);
    }
    expect(lists.size).toBe(seen.size);
    lists.clear();
    expect(lists.size).toBe(0);
  }
});

/** With steps of 1 from a taken slot to the next, both take minutes. */
test("runs of visits that want the same slots are told apart as fast as others", () => {
  const beforeMs = cpuMs();
  const lists = new GroupsOfVisits();
  for (let run = 0; run < 8; run++)
    for (let visit = 1; visit <= 50_000; visit++) lists.add(run * 2 ** 24 + visit, 0);
  expect(lists.size).toBe(400_000);
  expect(cpuMs() - beforeMs).toBeLessThan(5_000);
});

test("sums of amounts by visit, too", () => {
  const visit = Uint32Array.from(
    { length: 400_000 },
    (_, at) => Math.floor(at / 50_000) * 2 ** 24 + (at % 50_000) + 1,
  );
  const amountRows = Uint32Array.from(visit.keys());
  const amounts = new Float64Array(visit.length).fill(1);
  const beforeMs = cpuMs();
  const events = [{ chunk: { visit }, amounts, amountRows }] as unknown as GoalEvents[];
  expect(AmountsByVisit.of(events).visits.has(7 * 2 ** 24 + 50_000)).toBe(true);
  expect(cpuMs() - beforeMs).toBeLessThan(5_000);
});
