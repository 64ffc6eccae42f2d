/**
 * Quantiles of durations that are known by digests, or exactly. They follow from the digests alone, in the order of months,
 * and never from what was asked before. Exact while no centroid has two durations. A rank among all lies near the same
 * share of each run, so the centroids there bound the result closely, and a binary search between the bounds finds it.
 */
import { centroidsIn, type Digests } from "../../facts/months/digest.ts";
import { firstAtLeast } from "../../lib/search.ts";
import { mixedQuantiles, type WaveletRange } from "./duration-quantiles.ts";

/** Durations that are known exactly stand for at most this many centroids. */
const sampleMax = 1_000;

/** Centroids of one group, by their means, which rise. */
interface Run {
  readonly means: Uint32Array;
  /** The index of its first mean. */
  readonly first: number;
  readonly centroids: number;
  /** The number of its durations, which the centroids share evenly. */
  readonly count: number;
}

/** A centroid: its mean, and the rank in the middle of its durations among all of them. */
interface Point {
  readonly mean: number;
  readonly rank: number;
}

export class DigestQuantiles {
  private readonly runs: Run[] = [];
  private count = 0;
  /** By run: the centroids below the found value, and up to it; during a search, below and up to all candidates. */
  private froms = new Uint32Array(0);
  private ends = new Uint32Array(0);
  private middles = new Uint32Array(0);
  /** Whether each duration is known. */
  isExact = true;

  /** Adds the groups of digests from index `from` up to `to`. */
  add({ counts, ends, means }: Digests, from: number, to: number): void {
    for (let group = from; group < to; group++) {
      const count = counts[group]!;
      this.addGroup(count, means, ends[group]! - centroidsIn(count));
    }
  }

  /** Adds a group of this many durations, whose means begin at index `first`. */
  addGroup(count: number, means: Uint32Array, first: number): void {
    this.addRun({ means, first, centroids: centroidsIn(count), count });
  }

  /** Adds durations that are known exactly and rise. */
  addSorted(values: Uint32Array): void {
    const count = values.length;
    if (count > 0) this.addRun({ means: values, first: 0, centroids: count, count });
  }

  /** Adds durations that are known exactly. Reorders `values`. */
  addExact(values: Uint32Array, ranges: readonly WaveletRange[] = []): void {
    const count = values.length + ranges.reduce((sum, { from, to }) => sum + to - from, 0);
    if (count === 0) return;
    const centroids = Math.min(count, sampleMax);
    const firstOf = (at: number) => Math.floor((at * count) / centroids);
    const shares = Array.from({ length: centroids }, (_, at) =>
      count === 1 ? 0 : Math.floor((firstOf(at) + firstOf(at + 1) - 1) / 2) / (count - 1),
    );
    const means = Uint32Array.from(mixedQuantiles(values, ranges, shares));
    this.addRun({ means, first: 0, centroids, count });
  }

  /** Returns the quantiles for shares of 0 to 1, in whole milliseconds; 0 if there is no duration. */
  of(shares: readonly number[]): number[] {
    const { count, runs } = this;
    if (count === 0) return shares.map(() => 0);
    [this.froms, this.ends, this.middles] = [0, 1, 2].map(() => new Uint32Array(runs.length)) as [
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
    ];
    return shares.map((share) => {
      const rank = (count - 1) * share;
      const { low, high } = this.search(rank, share).around(rank);
      if (low === undefined || high === undefined) return (low ?? high)!.mean;
      const part = (rank - low.rank) / (high.rank - low.rank);
      return Math.floor(low.mean + (high.mean - low.mean) * part + 0.5);
    });
  }

  /**
   * Returns the last centroid before a rank that was searched for, and the first from it on, in the order of their means.
   * Those of one mean are in the order in which they were added.
   */
  private around(rank: number): { low: Point | undefined; high: Point | undefined } {
    const { runs, froms, ends } = this;
    // Up to the nearest value below the found one there are at most as many durations as `rank`: its last centroid is before it.
    let low = this.lastBelow();
    let before = 0;
    for (let at = 0; at < runs.length; at++) before += countBefore(runs[at]!, froms[at]!);
    for (let at = 0; at < runs.length; at++) {
      const run = runs[at]!;
      let index = froms[at]!;
      if (run.count === run.centroids) {
        // Each of them is one duration: all that come before the rank are passed at once.
        const passed = Math.min(ends[at]! - index, Math.max(0, Math.ceil(rank - before)));
        index += passed;
        before += passed;
        if (passed > 0) low = pointOf(run, index - 1, before - 1);
      }
      for (; index < ends[at]!; index++) {
        const point = pointOf(run, index, before);
        if (point.rank >= rank) return { low, high: point };
        low = point;
        before += weightIn(run, index);
      }
    }
    return { low, high: this.firstAbove(before) };
  }

  /** Returns the last centroid of the nearest mean below the found value, if there is one. */
  private lastBelow(): Point | undefined {
    const { runs, froms } = this;
    let [below, last, before] = [-1, -1, 0];
    for (let at = 0; at < runs.length; at++) {
      const { means, first } = runs[at]!;
      before += countBefore(runs[at]!, froms[at]!);
      if (froms[at] === 0 || means[first + froms[at]! - 1]! < below) continue;
      below = means[first + froms[at]! - 1]!;
      last = at;
    }
    if (last < 0) return undefined;
    const [run, index] = [runs[last]!, froms[last]! - 1];
    return pointOf(run, index, before - weightIn(run, index));
  }

  /** Returns the first centroid of the nearest mean above the found value, if there is one. `before`: the durations up to it. */
  private firstAbove(before: number): Point | undefined {
    const { runs, ends } = this;
    let [above, first] = [Infinity, -1];
    for (let at = 0; at < runs.length; at++) {
      const { means, first: start, centroids } = runs[at]!;
      if (ends[at] === centroids || means[start + ends[at]!]! >= above) continue;
      above = means[start + ends[at]!]!;
      first = at;
    }
    return first < 0 ? undefined : pointOf(runs[first]!, ends[first]!, before);
  }

  /** Finds the least value up to which there are more durations than `rank`, a share of all. */
  private search(rank: number, share: number): this {
    const { runs } = this;
    let [least, most] = this.bounds(share);
    for (let at = 0; at < runs.length; at++) {
      const run = runs[at]!;
      this.froms[at] = centroidsUpTo(run, least - 1, 0, run.centroids);
      this.ends[at] = centroidsUpTo(run, most, this.froms[at]!, run.centroids);
    }
    while (least < most) {
      const middle = Math.floor((least + most) / 2);
      if (this.countMiddles(middle) > rank) {
        most = middle;
        [this.ends, this.middles] = [this.middles, this.ends];
      } else {
        least = middle + 1;
        [this.froms, this.middles] = [this.middles, this.froms];
      }
    }
    return this;
  }

  /** Returns two values that enclose that of a share; one of them may be that value. */
  private bounds(share: number): [least: number, most: number] {
    let [least, most] = [Infinity, 0];
    for (const { means, first, centroids } of this.runs) {
      // Less than the share of all durations comes before the means at `low`, and more is up to those at `high`: each
      // has a margin of two centroids.
      const low = Math.max(0, Math.floor(share * centroids) - 2);
      const high = Math.min(centroids - 1, Math.ceil(share * centroids) + 2);
      least = Math.min(least, means[first + low]!);
      most = Math.max(most, means[first + high]!);
    }
    return [least, most];
  }

  /** Returns how many durations are in centroids up to `value`, which lies between the bounds. */
  private countMiddles(value: number): number {
    const { runs, froms, ends, middles } = this;
    let count = 0;
    for (let at = 0; at < runs.length; at++) {
      const run = runs[at]!;
      const upTo = centroidsUpTo(run, value, froms[at]!, ends[at]!);
      middles[at] = upTo;
      count += countBefore(run, upTo);
    }
    return count;
  }

  private addRun(run: Run): void {
    if (run.count > run.centroids) this.isExact = false;
    this.runs.push(run);
    this.count += run.count;
  }
}

function weightIn(run: Run, index: number): number {
  return countBefore(run, index + 1) - countBefore(run, index);
}

/** Returns a centroid that so many durations of all come before. */
function pointOf(run: Run, index: number, before: number): Point {
  return { mean: run.means[run.first + index]!, rank: before + (weightIn(run, index) - 1) / 2 };
}

/** Returns how many durations are in a run's first `end` centroids. */
function countBefore({ count, centroids }: Run, end: number): number {
  return Math.floor((end * count) / centroids);
}

/** Returns how many centroids are at most `value`; the result is known to be from `from` to `end`. */
function centroidsUpTo({ means, first }: Run, value: number, from: number, end: number): number {
  return firstAtLeast(means, value + 1, first + from, first + end) - first;
}
