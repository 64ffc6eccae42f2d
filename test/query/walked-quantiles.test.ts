/** Quantiles by walks are those of copied durations. `FOOTFALL_SEED` repeats a run. */
import { expect, test } from "bun:test";
import { exactQuantiles, type AddRows } from "../../src/query/quantiles/walked-quantiles.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { randomFrom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { seed } from "../support/seed.ts";

const { timed } = rowFlag;

/** Rows of some groups, whose durations are near or far from each other, and often equal. */
function rowsOf(random: () => number) {
  const count = Math.floor(random() * 3_000);
  const groups = 1 + Math.floor(random() ** 2 * 500);
  const most = 2 ** (1 + random() * 31);
  const least = random() < 0.3 ? Math.floor(random() * (2 ** 32 - most)) : 0;
  return {
    groups,
    ofRows: Uint32Array.from({ length: count }, () => Math.floor(random() ** 3 * groups)),
    flags: Uint8Array.from({ length: count }, () => (random() < 0.7 ? timed : 0) | rowFlag.unique),
    durations: Uint32Array.from({ length: count }, () => least + Math.floor(random() ** 2 * most)),
  };
}

/** Adds the rows in blocks, and says how often. */
function walkOver({ ofRows, flags, durations }: ReturnType<typeof rowsOf>) {
  const walked = { times: 0 };
  const walk = (addRows: AddRows) => {
    walked.times++;
    for (let from = 0; from < ofRows.length; from += 256) {
      const [own, ownFlags, ownMs] = [ofRows, flags, durations].map((each) =>
        each.slice(from, from + 256),
      ) as [Uint32Array, Uint8Array, Uint32Array];
      addRows(own, ownFlags, ownMs, own.length);
    }
  };
  return { walked, walk };
}

test("quantiles by walks are those of copied durations", () => {
  const random = randomFrom(seed());
  for (let round = 0; round < rounds(60); round++) {
    const rows = rowsOf(random);
    const knownOf = new Uint32Array(rows.groups);
    for (const [at, group] of rows.ofRows.entries()) knownOf[group]! += Number((rows.flags[at]! & timed) > 0);
    const shares = random() < 0.5 ? [0.5] : [0.25, 0.5, 0.75];
    const asked = [...knownOf.keys()].filter(() => random() < 0.8);
    const [copied, walked] = [Infinity, -1].map((max) => {
      const { walk, walked } = walkOver(rows);
      return { of: exactQuantiles(knownOf, asked, shares, walk, max), walked };
    }) as [{ of(group: number): number[] }, { of(group: number): number[]; walked: { times: number } }];
    for (const group of asked) expect(walked.of(group)).toEqual(copied.of(group));
    expect(walked.walked.times).toBeGreaterThanOrEqual(2);
    expect(walked.walked.times).toBeLessThanOrEqual(4);
  }
});

test("very many groups take more walks, each with fewer counters of a group", () => {
  const groups = 30_000;
  const ofRows = Uint32Array.from({ length: 2 * groups }, (_, at) => at % groups);
  const durations = Uint32Array.from(ofRows, (group, at) => (at < groups ? group : 3 * group));
  const flags = new Uint8Array(ofRows.length).fill(timed);
  const { walk, walked } = walkOver({ groups, ofRows, flags, durations });
  const of = exactQuantiles(new Uint32Array(groups).fill(2), [...Array(groups).keys()], [0.5], walk, 0);
  expect([0, 1, 29_999].map((group) => of(group))).toEqual([[0], [2], [59_998]]);
  expect(walked.times).toBeGreaterThan(4);
});
