/**
 * Durations of the selected rows, side by side by group, and exact quantiles of them. Only the groups that are
 * asked for are looked at again: small ones are sorted, of large ones no more than the part that a quantile is in.
 */
import { rowFlag } from "../store/chunk.ts";
import type { Block } from "./block.ts";

/** Up to here sorting is as fast as anything. */
const sortedLengthMax = 1_024;
const bucketBits = 12;

export class Durations {
  /** Where each group's part ends; while filling, where its next duration goes. */
  private readonly ends: Uint32Array;
  private readonly values: Uint32Array;
  private readonly buckets = new Uint32Array(1 << bucketBits);

  /** `knownOf`: how many durations each group will get. */
  constructor(private readonly knownOf: Uint32Array) {
    this.ends = new Uint32Array(knownOf.length);
    let end = 0;
    for (let group = 0; group < knownOf.length; group++) {
      this.ends[group] = end;
      end += knownOf[group] as number;
    }
    this.values = new Uint32Array(end);
  }

  /** `groupOf`: the group of each row of the block. */
  add({ chunk: { flags, duration }, start, rows, count }: Block, groupOf: Uint32Array): void {
    const { ends, values } = this;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (((flags[start + row] as number) & rowFlag.timed) === 0) continue;
      const group = groupOf[row] as number;
      const place = ends[group] as number;
      values[place] = duration[start + row] as number;
      ends[group] = place + 1;
    }
  }

  /** The quantiles of a group for rising shares of 0 to 1. */
  quantiles(group: number, shares: readonly number[]): number[] {
    const known = this.knownOf[group] as number;
    const end = this.ends[group] as number;
    const part = this.values.subarray(end - known, end);
    const nth = known <= sortedLengthMax ? fromSorted(part.sort()) : this.fromBuckets(part);
    return interpolated(known, shares, nth);
  }

  /** Counts the values in buckets of equal width, and sorts a bucket when something in it is asked for. */
  private fromBuckets(part: Uint32Array): (rank: number) => number {
    const { buckets } = this;
    let max = 0;
    for (let at = 0; at < part.length; at++) max = Math.max(max, part[at] as number);
    const shift = Math.max(0, 32 - Math.clz32(max) - bucketBits);
    buckets.fill(0);
    for (let at = 0; at < part.length; at++) {
      const bucket = (part[at] as number) >>> shift;
      buckets[bucket] = (buckets[bucket] as number) + 1;
    }
    const sorted = new Map<number, Uint32Array>();
    return (rank) => {
      let bucket = 0;
      let before = 0;
      while (before + (buckets[bucket] as number) <= rank) before += buckets[bucket++] as number;
      const values = sorted.get(bucket) ?? gathered(part, shift, bucket, buckets[bucket] as number).sort();
      sorted.set(bucket, values);
      return values[rank - before] as number;
    };
  }
}

/**
 * The quantiles of `known` values of which `nth` gives the one with a rank from 0 on; 0 where there are none. Linear
 * interpolation between the two nearest (type 7 of Hyndman and Fan, 1996), to the nearest integer, halves up.
 */
export function interpolated(
  known: number,
  shares: readonly number[],
  nth: (rank: number) => number,
): number[] {
  if (known === 0) return shares.map(() => 0);
  return shares.map((share) => {
    const position = (known - 1) * share;
    const below = Math.floor(position);
    const low = nth(below);
    const high = below + 1 < known ? nth(below + 1) : low;
    return Math.floor(low + (high - low) * (position - below) + 0.5);
  });
}

/** The values of one bucket, as they come. */
function gathered(part: Uint32Array, shift: number, bucket: number, count: number): Uint32Array {
  // One more place, which every value that is not of the bucket may be written to.
  const values = new Uint32Array(count + 1);
  let place = 0;
  for (let at = 0; at < part.length; at++) {
    const value = part[at] as number;
    values[place] = value;
    place += Number(value >>> shift === bucket);
  }
  return values.subarray(0, count);
}

function fromSorted(sorted: Uint32Array): (rank: number) => number {
  return (rank) => sorted[rank] as number;
}
