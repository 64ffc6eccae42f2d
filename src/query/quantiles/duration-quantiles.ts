/**
 * Exact quantiles of durations, some in ranges of wavelets and others unsorted. They are found bit by bit, by counting
 * how many of the remaining durations have a 0.
 */
import { bitsOfGreatest } from "../../lib/bits.ts";
import { onesBefore, zerosIn, type Wavelet } from "../../facts/wavelet.ts";
import { interpolated, quantilesOf } from "./quantile.ts";

/** The durations of a wavelet from index `from` up to `to`. */
export interface WaveletRange {
  readonly wavelet: Wavelet;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the quantiles of all durations together, for rising shares of 0 to 1; 0 if there is none. Reorders `values`.
 */
export function mixedQuantiles(
  values: Uint32Array,
  ranges: readonly WaveletRange[],
  shares: readonly number[],
): number[] {
  if (ranges.length === 0) return quantilesOf(values, shares);
  const total = values.length + ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  const levels = ranges.reduce((most, { wavelet }) => Math.max(most, wavelet.levels), bitsOfGreatest(values));
  return interpolated(total, shares, (rank) => {
    const search = new Search(values, ranges);
    let [value, left] = [0, rank];
    for (let bit = levels - 1; bit >= 0; bit--) {
      const zeros = search.split(bit);
      const one = left >= zeros;
      if (one) [value, left] = [value + 2 ** bit, left - zeros];
      search.keep(bit, one);
    }
    return value;
  });
}

/**
 * The durations that begin with the bits chosen so far: a range of `values`, and a range of a level in each wavelet.
 */
class Search {
  private from = 0;
  private end: number;
  /** The index in `values` at which those with a 1 begin. */
  private middle = 0;
  // Plain arrays: most searches use few wavelets, and typed arrays take longer to create.
  private froms: number[];
  private ends: number[];
  /** By wavelet: the range of the durations with a 0 in the next level. */
  private zeroFroms: number[];
  private zeroEnds: number[];

  constructor(
    private readonly values: Uint32Array,
    private readonly ranges: readonly WaveletRange[],
  ) {
    this.end = values.length;
    this.froms = ranges.map(({ from }) => from);
    this.ends = ranges.map(({ to }) => to);
    this.zeroFroms = [...this.froms];
    this.zeroEnds = [...this.froms];
  }

  /** Returns how many of the remaining durations have a 0 for the bit. */
  split(bit: number): number {
    const { ranges, froms, ends, zeroFroms, zeroEnds } = this;
    this.middle = partition(this.values, bit, this.from, this.end);
    let zeros = this.middle - this.from;
    for (let at = 0; at < ranges.length; at++) {
      const { wavelet } = ranges[at]!;
      const level = wavelet.levels - 1 - bit;
      const from = froms[at]!;
      const end = ends[at]!;
      const isSplit = level >= 0 && from < end;
      zeroFroms[at] = isSplit ? from - onesBefore(wavelet, level, from) : from;
      zeroEnds[at] = isSplit ? end - onesBefore(wavelet, level, end) : end;
      zeros += zeroEnds[at]! - zeroFroms[at]!;
    }
    return zeros;
  }

  /** Keeps the durations with a 1 for the bit, or those with a 0. */
  keep(bit: number, one: boolean): void {
    const { ranges, froms, ends, zeroFroms, zeroEnds } = this;
    if (one) this.from = this.middle;
    else this.end = this.middle;
    if (one) for (let at = 0; at < ranges.length; at++) this.keepOnes(at, bit);
    else {
      [this.froms, this.zeroFroms] = [zeroFroms, froms];
      [this.ends, this.zeroEnds] = [zeroEnds, ends];
    }
  }

  private keepOnes(at: number, bit: number): void {
    const { froms, ends, zeroFroms, zeroEnds } = this;
    const { wavelet } = this.ranges[at]!;
    const level = wavelet.levels - 1 - bit;
    const zeros = level < 0 ? 0 : zerosIn(wavelet, level);
    froms[at] = zeros + froms[at]! - zeroFroms[at]!;
    ends[at] = zeros + ends[at]! - zeroEnds[at]!;
  }
}

/**
 * Moves the numbers with a 0 for the bit before those with a 1, between `from` and `end`; returns where the latter
 * begin.
 */
function partition(values: Uint32Array, bit: number, from: number, end: number): number {
  let [left, right] = [from, end];
  while (left < right) {
    const value = values[left]!;
    if (((value >>> bit) & 1) === 0) left++;
    else {
      values[left] = values[--right]!;
      values[right] = value;
    }
  }
  return left;
}
