/** The durations of the selected rows grouped side by side, and exact quantiles of unsorted numbers. */
import { bitsOfGreatest } from "../../lib/bits.ts";
import { scratch, ScratchWords } from "../../lib/memory/scratch.ts";
import { lastAtMost } from "../../lib/search.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";

/** The position of the `timed` bit in the flags. */
export const timedBit = Math.log2(rowFlag.timed);

/**
 * This thread's buffer for durations: allocating fresh memory would cost more than the work on it. A question is done
 * with the durations before the next one begins, and no question needs them both by page and by span.
 */
export const durationScratch = new ScratchWords();

export class Durations {
  /** By group: the index for its next duration. */
  private readonly places: Uint32Array;
  /**
   * Each group has room for one more than it gets, so that a row can be written before it is known whether it counts.
   */
  private readonly values: Uint32Array;

  /** `knownOf`: the number of durations that each group will get. */
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

  /** Returns the durations of a group in milliseconds, in no order. */
  of(group: number): Uint32Array {
    const end = this.places[group]!;
    return this.values.subarray(end - this.knownOf[group]!, end);
  }
}

/** Returns the quantiles of numbers for rising shares of 0 to 1; 0 if there are no numbers. Reorders the numbers. */
export function quantilesOf(values: Uint32Array, shares: readonly number[]): number[] {
  return interpolated(values.length, shares, nthOf(values));
}

/**
 * Returns a function that gives the number of a rank from 0 on. Reorders the numbers; the function lasts until this one is
 * called again.
 */
export function nthOf(values: Uint32Array): (rank: number) => number {
  const ranks = new Ranks(values, (length) => bucketScratch.take(length));
  return (rank) => ranks.nth(rank);
}

/**
 * Returns the quantiles of `known` values, where `nth` gives the value of a rank from 0 on; 0 if there are none.
 * Interpolates linearly between the two nearest (type 7 of Hyndman and Fan, 1996), and rounds to the nearest integer,
 * halves up.
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

/** This thread's buffer for the numbers of the bucket that is looked at: it may have nearly all of them. */
const bucketScratch = new ScratchWords();
/** A bucket of a bucket has few numbers. */
const newRoom = (length: number) => new Uint32Array(length);

/** Up to this many numbers are sorted instead. */
const fewMax = 256;
/** Numbers are counted by at most this many bits: more counters would not fit into the processor's nearest cache. */
const bucketBitsMax = 11;

/**
 * Finds numbers by their rank: counts all of them by their highest bits, then those in the bucket of the rank by their
 * next bits. Neither loop has a branch on data, and nearby ranks share the work.
 */
class Ranks {
  /** A number's bucket is the number without this many of its lowest bits. */
  private readonly shift: number = 0;
  /** The count of numbers before each bucket, and of all; undefined if there are few numbers. */
  private readonly before: Int32Array | undefined;
  /** The numbers of the bucket that was used last, without the bits that they share. */
  private last: { readonly bucket: number; readonly ranks: Ranks } | undefined;

  /** `roomFor` returns room for so many numbers, which lasts until it is called again. */
  constructor(
    private readonly values: Uint32Array,
    private readonly roomFor: (length: number) => Uint32Array,
  ) {
    if (values.length <= fewMax) values.sort();
    else {
      // Aims at about four numbers a bucket: adding up more buckets would take longer than counting the numbers.
      const bucketBits = Math.min(bucketBitsMax, 30 - Math.clz32(values.length));
      this.shift = Math.max(0, bitsOfGreatest(values) - bucketBits);
      this.before = countBefore(values, this.shift, 2 ** bucketBits);
    }
  }

  /** Returns the number of a rank from 0 on. */
  nth(rank: number): number {
    const { values, before, shift } = this;
    if (before === undefined) return values[rank]!;
    const bucket = lastAtMost(before, rank);
    if (shift === 0) return bucket;
    const start = before[bucket]!;
    if (this.last?.bucket !== bucket) {
      const own = this.roomFor(before[bucket + 1]! - start + 1);
      gather(values, shift, bucket, own);
      this.last = { bucket, ranks: new Ranks(own.subarray(0, -1), newRoom) };
    }
    return bucket * 2 ** shift + this.last.ranks.nth(rank - start);
  }
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

/** Copies the lower bits of the numbers in a bucket to `to`, which has room for one more. */
function gather(values: Uint32Array, shift: number, bucket: number, to: Uint32Array): void {
  const mask = 2 ** shift - 1;
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at]!;
    to[count] = value & mask;
    count += value >>> shift === bucket ? 1 : 0;
  }
}
