/** Quantiles by walks are those of copied durations. `FOOTFALL_SEED` repeats a run. */
import { expect, test } from "bun:test";
import { quantilesOf } from "../../src/query/quantiles/quantile.ts";
import { exactQuantiles, type AddRows } from "../../src/query/quantiles/walked-quantiles.ts";
import { rowFlag } from "../../src/store/columns/row-flag.ts";
import { rounds } from "../support/rounds.ts";
import { randomBySeed } from "../support/seed.ts";

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
  const random = randomBySeed();
  for (let round = 0; round < rounds(60); round++) {
    const rows = rowsOf(random);
    const knownOf = new Uint32Array(rows.groups);
    for (const [at, group] of rows.ofRows.entries()) knownOf[group]! += Number((rows.flags[at]! & timed) > 0);
    const shares = random() < 0.5 ? [0.5] : [0.25, 0.5, 0.75];
    const asked = [...knownOf.keys()].filter(() => random() < 0.8);
    const known = knownOf.reduce((sum, count) => sum + count, 0);
    const found = (max: number) => {
      const { walk, walked } = walkOver(rows);
      const of = exactQuantiles(knownOf, asked, shares, walk, max);
      return { times: walked.times, values: asked.map(of) };
    };
    const [copied, some, none] = [found(Infinity), found(known / 3), found(-1)];
    expect(some.values).toEqual(copied.values);
    expect(none.values).toEqual(copied.values);
    expect(copied.times).toBe(1);
    expect(none.times).toBeLessThanOrEqual(10);
  }
});

test("two walks are enough where durations differ", () => {
  const random = randomBySeed();
  const groups = 40;
  const count = 20_000;
  const ofRows = Uint32Array.from({ length: count }, () => Math.floor(random() * groups));
  const durations = Uint32Array.from({ length: count }, () => Math.floor(random() ** 2 * 600_000));
  const { walk, walked } = walkOver({ groups, ofRows, flags: new Uint8Array(count).fill(timed), durations });
  const knownOf = new Uint32Array(groups);
  for (const group of ofRows) knownOf[group]!++;
  const of = exactQuantiles(knownOf, [...Array(groups).keys()], [0.25, 0.5, 0.75], walk, count / 4);
  expect(walked.times).toBe(2);
  for (let group = 0; group < groups; group++) {
    const own = durations.filter((_, at) => ofRows[at] === group);
    expect(of(group)).toEqual(quantilesOf(own, [0.25, 0.5, 0.75]));
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
