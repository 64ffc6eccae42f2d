/**
 * The known durations of the selected rows of a chunk in their order, and exact quantiles of those of many chunks
 * together. Of a chunk that takes no more hits they are sorted once for all questions.
 */
import { chunkRowsMax, rowFlag } from "../store/chunk.ts";
import { lowBits, lowMax, sortDurations, type SortedDurations } from "../store/sorted-durations.ts";
import type { Block } from "./block.ts";
import { interpolated } from "./quantile.ts";
import { isWhole, type RowRange } from "./range.ts";
import { blocksIn, type Sieve } from "./select.ts";
import type { Work } from "./work.ts";

/** One more place, which the last row may write to. */
const scratch = new Uint32Array(chunkRowsMax + 1);

/** Those of the rows of a range that all filters let through. */
export function durationsIn(range: RowRange, sieve: Sieve, work: Work): SortedDurations {
  const { chunk, takesHits } = range;
  const read = () => sortDurations(known(blocksIn(range, sieve, work)));
  if (takesHits || !isWhole(range)) return read();
  return work.derived.getAlways(chunk, chunk.version, `durations ${sieve.key}`, 2 * chunk.rows, () => {
    const value = read();
    return { value, bytes: value.ends.byteLength + value.low.byteLength };
  });
}

/** The quantiles of all parts together, for rising shares of 0 to 1; 0 where there is no duration. */
export function quantilesOf(parts: readonly SortedDurations[], shares: readonly number[]): number[] {
  const total = parts.reduce((sum, { low }) => sum + low.length, 0);
  const sizes = new Uint32Array(parts.reduce((longest, { ends }) => Math.max(longest, ends.length), 0));
  for (const { ends } of parts)
    for (let high = 0; high < ends.length; high++)
      sizes[high] = (sizes[high] as number) + (ends[high] as number) - startOf(ends, high);
  return interpolated(total, shares, (rank) => {
    let [high, left] = [0, rank];
    while (left >= (sizes[high] as number)) left -= sizes[high++] as number;
    return high * 2 ** lowBits + nthLow(parts, high, left);
  });
}

/** The lower bits of the duration of that rank among those with the same upper bits. */
function nthLow(parts: readonly SortedDurations[], high: number, rank: number): number {
  let [least, most] = [0, lowMax];
  while (least < most) {
    const middle = (least + most) >>> 1;
    let upTo = 0;
    for (const part of parts) upTo += countUpTo(part, high, middle);
    if (upTo > rank) most = middle;
    else least = middle + 1;
  }
  return least;
}

/** How many have these upper bits and lower ones of `most` or less. */
function countUpTo({ ends, low }: SortedDurations, high: number, most: number): number {
  if (high >= ends.length) return 0;
  const start = startOf(ends, high);
  let from = start;
  let end = ends[high] as number;
  while (from < end) {
    const middle = (from + end) >>> 1;
    if ((low[middle] as number) <= most) from = middle + 1;
    else end = middle;
  }
  return from - start;
}

function startOf(ends: Uint32Array, high: number): number {
  return high === 0 ? 0 : (ends[high - 1] as number);
}

/** In scratch, until the next call. */
function known(blocks: Iterable<Block>): Uint32Array {
  let count = 0;
  for (const block of blocks) count = addKnown(block, count);
  return scratch.subarray(0, count);
}

function addKnown({ chunk: { flags, duration }, start, rows, count }: Block, first: number): number {
  let place = first;
  for (let at = 0; at < count; at++) {
    const row = start + (rows[at] as number);
    scratch[place] = duration[row] as number;
    place += ((flags[row] as number) & rowFlag.timed) / rowFlag.timed;
  }
  return place;
}
