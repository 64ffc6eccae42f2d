/** Durations of the selected rows, side by side by group, and exact quantiles of numbers that are in no order. */
import { scratch, ScratchWords } from "../../lib/scratch.ts";
import { lastAtMost } from "../../lib/search.ts";
import { rowFlag } from "../../store/columns/chunk.ts";

/** The place of the flag among the bits. */
export const timedBit = Math.log2(rowFlag.timed);

/**
 * This thread's durations: fresh memory costs more than what is done with it. A question is done with them before the
 * next begins, and none has them by page and by span.
 */
export const durationScratch = new ScratchWords();

export class Durations {
  /** By group: where its next duration goes. */
  private readonly places: Uint32Array;
  /** Each group has room for one more than it gets: so a row is written before it is known whether it counts. */
  private readonly values: Uint32Array;

  /** `knownOf`: how many durations each group gets. */
  constructor(private readonly knownOf: Uint32Array) {
    this.places = new Uint32Array(knownOf.length);
    let end = 0;
    for (let group = 0; group < knownOf.length; group++) {
      this.places[group] = end;
      end += knownOf[group]! + 1;
    }
    scratch.need(4 * knownOf.length);
    this.values = durationScratch.take(end);
  }

  /** Adds `count` rows: their groups, flags, and durations. */
  addRows(groups: Uint32Array, flags: Uint8Array, durations: Uint32Array, count: number): void {
    // The loop below is: for each row whose time is known, values[place++] = duration.
    const { places, values } = this;
    for (let at = 0; at < count; at++) {
      const group = groups[at]! | 0;
      const place = places[group]! | 0;
      values[place] = durations[at]!;
      places[group] = (place + ((flags[at]! >>> timedBit) & 1)) | 0;
    }
  }

  /** The durations of a group, milliseconds, in no order. */
  of(group: number): Uint32Array {
    const end = this.places[group]!;
    return this.values.subarray(end - this.knownOf[group]!, end);
  }
}

/** The quantiles of numbers for rising shares of 0 to 1; 0 where there are none. Puts the numbers into another order. */
export function quantilesOf(values: Uint32Array, shares: readonly number[]): number[] {
  const ranks = new Ranks(values);
  return interpolated(values.length, shares, (rank) => ranks.nth(rank));
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
    const high = below < position ? nth(below + 1) : low;
    return Math.floor(low + (high - low) * (position - below) + 0.5);
  });
}

/** So few numbers are sorted. */
const fewMax = 256;
/** Numbers are counted by so many bits at most: more counters would leave the processor's nearest cache. */
const bucketBitsMax = 11;

/**
 * Finds numbers by their rank: they are counted by their highest bits, then those of the bucket that has the rank by
 * their next ones. Neither loop has a branch on data, and ranks that are near each other share the work.
 */
class Ranks {
  /** Buckets are numbers without so many lowest bits. */
  private readonly shift: number = 0;
  /** How many numbers come before each bucket, and in all; undefined where there are few. */
  private readonly before: Int32Array | undefined;
  /** The numbers of the bucket that was looked at last, without the bits that they share. */
  private last: { readonly bucket: number; readonly ranks: Ranks } | undefined;

  constructor(private readonly values: Uint32Array) {
    if (values.length <= fewMax) values.sort();
    else {
      // About four numbers a bucket: more buckets would take longer to add up than the numbers.
      const bucketBits = Math.min(bucketBitsMax, 30 - Math.clz32(values.length));
      this.shift = Math.max(0, bitsOf(values) - bucketBits);
      this.before = countBefore(values, this.shift, 2 ** bucketBits);
    }
  }

  /** The number of a rank from 0 on. */
  nth(rank: number): number {
    const { values, before, shift } = this;
    if (before === undefined) return values[rank]!;
    const bucket = lastAtMost(before, rank);
    if (shift === 0) return bucket;
    const start = before[bucket]!;
    if (this.last?.bucket !== bucket) {
      const own = new Uint32Array(before[bucket + 1]! - start + 1);
      gather(values, shift, bucket, own);
      this.last = { bucket, ranks: new Ranks(own.subarray(0, -1)) };
    }
    return bucket * 2 ** shift + this.last.ranks.nth(rank - start);
  }
}

/** The bits of the greatest number. */
export function bitsOf(values: Uint32Array): number {
  let all = 0;
  for (let at = 0; at < values.length; at++) all |= values[at]!;
  return 32 - Math.clz32(all);
}

function countBefore(values: Uint32Array, shift: number, buckets: number): Int32Array {
  const before = new Int32Array(buckets + 1);
  for (let at = 0; at < values.length; at++) {
    const next = ((values[at]! >>> shift) + 1) | 0;
    before[next] = (before[next]! + 1) | 0;
  }
  for (let bucket = 0; bucket < buckets; bucket++) before[bucket + 1]! += before[bucket]!;
  return before;
}

/** Puts the lower bits of the numbers of a bucket into `to`, which has room for one more. */
function gather(values: Uint32Array, shift: number, bucket: number, to: Uint32Array): void {
  const mask = 2 ** shift - 1;
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    to[count] = value & mask;
    count += value >>> shift === bucket ? 1 : 0;
  }
}
