/** Quantiles of merged digests lie within half a percent of the rank; small groups are exact. */
import { describe, expect, test } from "bun:test";
import {
  centroidsIn,
  centroidsMax,
  digestsOf,
  packedDigests,
  unpackedDigests,
  weightOf,
  type Digests,
} from "../../src/facts/months/digest.ts";
import { DigestQuantiles } from "../../src/query/quantiles/digest-quantiles.ts";
import { quantilesOf } from "../../src/query/quantiles/quantile.ts";
import { randomBySeed } from "../support/seed.ts";

const shares = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99];

/** Returns how far the ranks of a value lie from the one that is asked for, as a share of all. */
function rankError(sorted: Uint32Array, value: number, share: number): number {
  const rank = share * (sorted.length - 1);
  const least = sorted.findIndex((own) => own >= value);
  const most = sorted.findLastIndex((own) => own <= value);
  const from = least === -1 ? sorted.length : least;
  return Math.max(0, Math.min(from, most) - rank, rank - Math.max(from, most)) / sorted.length;
}

/**
 * Returns what the quantile is meant to be: each centroid stands at the middle of its durations among all, in the order of
 * means, and a rank between two of them has its share of both.
 */
function plainQuantile({ counts, ends, means }: Digests, share: number): number {
  const centroids = Array.from(counts, (count, group) => {
    const own = means.subarray(ends[group]! - centroidsIn(count), ends[group]);
    return Array.from(own, (mean, at) => ({ mean, weight: weightOf(count, at) }));
  }).flat();
  centroids.sort((a, b) => a.mean - b.mean);
  let before = 0;
  const points = centroids.map(({ mean, weight }) => {
    before += weight;
    return { mean, rank: before - (weight + 1) / 2 };
  });
  const rank = (before - 1) * share;
  const next = points.findIndex((point) => point.rank >= rank);
  if (next < 1) return points.at(next)!.mean;
  const [low, high] = [points[next - 1]!, points[next]!];
  return Math.floor(low.mean + ((high.mean - low.mean) * (rank - low.rank)) / (high.rank - low.rank) + 0.5);
}

const kinds: Readonly<Record<string, (random: () => number) => number>> = {
  even: (random) => Math.floor(random() * 1_000_000),
  "long tailed": (random) => Math.floor(Math.exp(6 + random() * 9)),
  "of few values": (random) => 1_000 * Math.floor(random() * 4),
  "in two heaps": (random) => Math.floor(random() < 0.5 ? random() * 100 : 1e6 + random() * 100),
};

describe.each(Object.entries(kinds))("durations that are %s", (_, draw) => {
  test.each([[1_000], [20_000]])("%i in each of seven groups, and some that are known exactly", (count) => {
    const random = randomBySeed();
    const groups = Array.from({ length: 7 }, (_, key) => {
      const factor = 1 + key;
      return [key, Uint32Array.from({ length: count }, () => factor * draw(random)).sort()] as const;
    });
    const exact = Uint32Array.from({ length: count }, () => draw(random));
    const all = Uint32Array.from([...groups.flatMap(([, own]) => [...own]), ...exact]).sort();
    const quantiles = new DigestQuantiles();
    quantiles.add(unpackedDigests(packedDigests(digestsOf(groups))), 0, 7);
    quantiles.addExact(exact);
    const found = quantiles.of(shares);
    shares.forEach((share, at) => expect(rankError(all, found[at]!, share)).toBeLessThanOrEqual(0.005));
    expect(quantiles.isExact).toBeFalse();
  });

  test("have the quantiles that all centroids in order say", () => {
    const random = randomBySeed();
    for (let round = 0; round < 40; round++) {
      const groups = Array.from({ length: 1 + Math.floor(random() * 5) }, (_, key) => {
        const length = 1 + Math.floor(random() * (random() < 0.5 ? 5 : 1_500));
        return [key, Uint32Array.from({ length }, () => draw(random)).sort()] as const;
      });
      const digests = digestsOf(groups);
      const quantiles = new DigestQuantiles();
      quantiles.add(digests, 0, digests.keys.length);
      const wanted = [0, ...shares, random(), 1];
      expect(quantiles.of(wanted)).toEqual(wanted.map((share) => plainQuantile(digests, share)));
    }
  });

  test("are exact in groups that are small", () => {
    const random = randomBySeed();
    const groups = Array.from({ length: 20 }, (_, key) => {
      const length = Math.floor(random() * (centroidsMax + 1));
      return [key, Uint32Array.from({ length }, () => draw(random)).sort()] as const;
    });
    const quantiles = new DigestQuantiles();
    const digests = digestsOf(groups);
    quantiles.add(digests, 0, digests.keys.length);
    const all = Uint32Array.from(groups.flatMap(([, own]) => [...own]));
    expect(quantiles.of(shares)).toEqual(quantilesOf(all, shares));
    expect(quantiles.isExact).toBeTrue();
  });
});
