/** The groups of visits, beside a set of pairs. */
import { expect, test } from "bun:test";
import { GroupsOfVisits } from "../../src/query/rows/groups-of-visits.ts";
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
