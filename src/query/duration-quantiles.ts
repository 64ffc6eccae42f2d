/**
 * Exact quantiles of durations that are in many parts, which are sorted or ranges of wavelets: found bit by bit, by how
 * many of those that are left in all parts together have a 0.
 */
import { lowBits, lowMax, type SortedDurations } from "../store/sorted-durations.ts";
import { onesBefore, zerosIn, type Wavelet } from "../store/wavelet.ts";
import { interpolated } from "./quantile.ts";

/** The durations of a wavelet from `from` up to `to`. */
export interface Span {
  readonly wavelet: Wavelet;
  readonly from: number;
  readonly to: number;
}

/** Of all parts together, for rising shares of 0 to 1; 0 where there is no duration. */
export function quantilesOf(
  sorted: readonly SortedDurations[],
  spans: readonly Span[],
  shares: readonly number[],
): number[] {
  const total =
    sorted.reduce((sum, { low }) => sum + low.length, 0) +
    spans.reduce((sum, { from, to }) => sum + to - from, 0);
  const longest = sorted.reduce((most, { ends }) => Math.max(most, ends.length), 1);
  const ofSorted = sorted.length === 0 ? 0 : lowBits + 32 - Math.clz32(longest - 1);
  const levels = spans.reduce((most, { wavelet }) => Math.max(most, wavelet.levels), ofSorted);
  return interpolated(total, shares, (rank) => {
    const search = new Search(sorted, spans);
    let [value, left] = [0, rank];
    for (let bit = levels - 1; bit >= 0; bit--) {
      const withOne = value + 2 ** bit;
      const zeros = search.split(bit, withOne);
      const one = left >= zeros;
      if (one) [value, left] = [withOne, left - zeros];
      search.keep(bit, one);
    }
    return value;
  });
}

/** The durations of each part that begin with the bits that were chosen: a range of it. */
class Search {
  // Plain arrays: most searches are in few parts, and the other ones take longer to make.
  private readonly froms: number[];
  private readonly ends: number[];
  /** Where those with a 1 begin. */
  private readonly middles: number[];
  // Of spans: the ranges of their level, and what of them in the next one has a 0.
  private spanFroms: number[];
  private spanEnds: number[];
  private zeroFroms: number[];
  private zeroEnds: number[];

  constructor(
    private readonly sorted: readonly SortedDurations[],
    private readonly spans: readonly Span[],
  ) {
    this.froms = sorted.map(() => 0);
    this.ends = sorted.map(({ low }) => low.length);
    this.middles = [...this.froms];
    this.spanFroms = spans.map(({ from }) => from);
    this.spanEnds = spans.map(({ to }) => to);
    this.zeroFroms = [...this.spanFroms];
    this.zeroEnds = [...this.spanFroms];
  }

  /** How many of those that are left have a 0 for a bit; `withOne`: the least of those with a 1. */
  split(bit: number, withOne: number): number {
    const { sorted, spans, froms, ends, middles, spanFroms, spanEnds, zeroFroms, zeroEnds } = this;
    let zeros = 0;
    for (let at = 0; at < sorted.length; at++) {
      const from = froms[at] as number;
      const middle = firstFrom(sorted[at] as SortedDurations, withOne, from, ends[at] as number);
      middles[at] = middle;
      zeros += middle - from;
    }
    for (let at = 0; at < spans.length; at++) {
      const { wavelet } = spans[at] as Span;
      const level = wavelet.levels - 1 - bit;
      const from = spanFroms[at] as number;
      const end = spanEnds[at] as number;
      const isSplit = level >= 0 && from < end;
      const zeroFrom = isSplit ? from - onesBefore(wavelet, level, from) : from;
      const zeroEnd = isSplit ? end - onesBefore(wavelet, level, end) : end;
      zeroFroms[at] = zeroFrom;
      zeroEnds[at] = zeroEnd;
      zeros += zeroEnd - zeroFrom;
    }
    return zeros;
  }

  /** Leaves those with a 1 for the bit, or those with a 0. */
  keep(bit: number, one: boolean): void {
    const { sorted, spans, middles, spanFroms, spanEnds, zeroFroms, zeroEnds } = this;
    const edges = one ? this.froms : this.ends;
    for (let at = 0; at < sorted.length; at++) edges[at] = middles[at] as number;
    if (one) for (let at = 0; at < spans.length; at++) this.keepOnes(at, bit);
    else {
      [this.spanFroms, this.zeroFroms] = [zeroFroms, spanFroms];
      [this.spanEnds, this.zeroEnds] = [zeroEnds, spanEnds];
    }
  }

  private keepOnes(at: number, bit: number): void {
    const { spanFroms, spanEnds, zeroFroms, zeroEnds } = this;
    const { wavelet } = this.spans[at] as Span;
    const level = wavelet.levels - 1 - bit;
    const zeros = level < 0 ? 0 : zerosIn(wavelet, level);
    spanFroms[at] = zeros + (spanFroms[at] as number) - (zeroFroms[at] as number);
    spanEnds[at] = zeros + (spanEnds[at] as number) - (zeroEnds[at] as number);
  }
}

/** The first of those from `from` up to `end` that is not less than `value`; `end` if there is none. */
function firstFrom({ ends, low }: SortedDurations, value: number, from: number, end: number): number {
  const high = Math.floor(value / 2 ** lowBits);
  if (high >= ends.length) return end;
  const wanted = value & lowMax;
  let first = Math.max(from, high === 0 ? 0 : (ends[high - 1] as number));
  let last = Math.min(end, ends[high] as number);
  while (first < last) {
    const middle = (first + last) >>> 1;
    if ((low[middle] as number) < wanted) first = middle + 1;
    else last = middle;
  }
  return first;
}
