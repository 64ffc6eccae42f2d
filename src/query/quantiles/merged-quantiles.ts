/**
 * Exact quantiles of many sorted parts together. A rank among all values lies near the same share of each part, so the
 * values there bound the result closely, and a binary search between the bounds finds it.
 */
import { firstAtLeast } from "../../lib/search.ts";
import { joined } from "./joined.ts";
import { interpolated } from "./quantile.ts";

/** Parts with at most this many values on average are sorted together, which is faster. */
const fewMax = 100;

/** Returns the quantiles for rising shares of 0 to 1; 0 if there is no value. Each part is sorted. */
export function mergedQuantiles(parts: readonly Uint32Array[], shares: readonly number[]): number[] {
  const known = parts.filter(({ length }) => length > 0);
  const total = known.reduce((sum, { length }) => sum + length, 0);
  const [only] = known;
  if (known.length === 1) return interpolated(total, shares, (rank) => only![rank]!);
  if (total <= fewMax * known.length) {
    const all = joined(known).sort();
    return interpolated(total, shares, (rank) => all[rank]!);
  }
  const merged = new Merged(known, total);
  return interpolated(total, shares, (rank) => merged.nth(rank));
}

/** Searches the parts by rank. None of them is empty. */
class Merged {
  /** By part: the number of its values less than the found value; during a search, less than all candidates. */
  private froms: Uint32Array;
  /** By part: the number of its values up to the found value; during a search, up to the greatest candidate. */
  private ends: Uint32Array;
  private middles: Uint32Array;
  /** The found value, which has the ranks from `below` up to `upTo`. */
  private value = 0;
  private below = 0;
  private upTo = 0;

  constructor(
    private readonly parts: readonly Uint32Array[],
    private readonly total: number,
  ) {
    this.froms = new Uint32Array(parts.length);
    this.ends = new Uint32Array(parts.length);
    this.middles = new Uint32Array(parts.length);
  }

  /** Returns the value of a rank from 0 on. */
  nth(rank: number): number {
    const isFound = rank >= this.below && rank < this.upTo;
    if (isFound) return this.value;
    return rank === this.upTo && rank > 0 ? this.next() : this.search(rank);
  }

  /** Returns the least value above the found one. */
  private next(): number {
    let least = Infinity;
    this.parts.forEach((part, at) => {
      const end = this.ends[at]!;
      if (end < part.length) least = Math.min(least, part[end]!);
    });
    return least;
  }

  private search(rank: number): number {
    const { parts } = this;
    let [least, most] = this.bounds(rank);
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      this.froms[at] = countUpTo(part, least - 1, 0, part.length);
      this.ends[at] = countUpTo(part, most, this.froms[at]!, part.length);
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
    this.value = least;
    this.below = sumOf(this.froms);
    this.upTo = sumOf(this.ends);
    return least;
  }

  /** Returns two values that enclose the value of a rank; one of them may be that value. */
  private bounds(rank: number): [least: number, most: number] {
    let [least, most] = [Infinity, 0];
    for (const part of this.parts) {
      const { length } = part;
      // At most `rank` values of all parts come before the values at `low`; at least `rank + 1` are up to those at
      // `high`. Each index has a margin of one, because quotients are rounded.
      const low = Math.max(0, Math.floor((rank / this.total) * length) - 1);
      const high = Math.min(length - 1, Math.ceil(((rank + 1) / this.total) * length));
      least = Math.min(least, part[low]!);
      most = Math.max(most, part[high]!);
    }
    return [least, most];
  }

  /** Returns how many values of all parts are at most `value`, which lies between the bounds. */
  private countMiddles(value: number): number {
    const { parts, froms, ends, middles } = this;
    let count = 0;
    for (let at = 0; at < parts.length; at++) {
      const upTo = countUpTo(parts[at]!, value, froms[at]!, ends[at]!);
      middles[at] = upTo;
      count += upTo;
    }
    return count;
  }
}

function sumOf(counts: Uint32Array): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return sum;
}

/** Returns how many values of a part are at most `value`; the result is known to be from `from` to `end`. */
function countUpTo(part: Uint32Array, value: number, from: number, end: number): number {
  return firstAtLeast(part, value + 1, from, end);
}
