/** The few groups of visits, beside a set of pairs. */
import { expect, test } from "bun:test";
import { QueryContext } from "../../src/query/cache/context.ts";
import { SharedVisits } from "../../src/query/visits/distinct/shared-visits.ts";
import { VisitBits, bitGroupsMax, visitPagesMax } from "../../src/query/visits/distinct/visit-bits.ts";
import { randomBySeed } from "../support/seed.ts";
import { everything, siteOf } from "../support/site.ts";

/** A website without rows has no shared visits. */
const shared = SharedVisits.of(everything.period, new QueryContext(siteOf()));
const rows = 1_000;

test.each([1, 31, 32, 33, bitGroupsMax])("visits with %d groups are each counted once", (groups) => {
  const random = randomBySeed();
  const bits = new VisitBits(groups);
  for (let round = 0; round < 3; round++) {
    const [counts, expected] = [new Uint32Array(groups), new Uint32Array(groups)];
    const [pairs, seen] = [new Set<string>(), new Set<number>()];
    for (let block = 0; block < 8; block++) {
      const visits = Uint32Array.from({ length: rows }, () => Math.floor(random() * 4_000 * (block + 1)));
      const own = Uint32Array.from({ length: rows }, () => Math.floor(random() ** 2 * groups));
      const left = new Set(bits.addEach(visits, own, rows, counts, shared));
      visits.forEach((visit, at) => {
        // Visits in the page of visit 0, which is none, are left out.
        expect(left.has(at)).toBe(visit < 1_024);
        const pair = `${visit} ${own[at]}`;
        if (visit < 1_024 || pairs.has(pair)) return;
        pairs.add(pair);
        seen.add(visit);
        expected[own[at]!]!++;
      });
    }
    expect(counts).toEqual(expected);
    expect(bits.size).toBe(seen.size);
    bits.clear();
    expect(bits.size).toBe(0);
  }
});

test("visits of which few are in a page are left out, always the same ones, until all are forgotten", () => {
  const bits = new VisitBits(1);
  const counts = new Uint32Array(1);
  const groups = new Uint32Array(rows);
  for (let round = 1; round <= 2; round++) {
    const left = [0, 1].map(() => {
      let count = 0;
      for (let from = 0; from < 3 * visitPagesMax; from += rows) {
        const visits = Uint32Array.from({ length: rows }, (_, at) => (1 + from + at) * 1_024);
        count += bits.addEach(visits, groups, rows, counts, shared).length;
      }
      return count;
    });
    const all = Math.ceil((3 * visitPagesMax) / rows) * rows;
    expect(left).toEqual([all - visitPagesMax, all - visitPagesMax]);
    expect(bits.size).toBe(visitPagesMax);
    expect(counts[0]).toBe(round * visitPagesMax);
    bits.clear();
  }
});
