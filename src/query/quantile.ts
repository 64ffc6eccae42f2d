/** Durations of the selected rows, side by side by group, and exact quantiles of numbers that are in no order. */
import { scratch } from "../lib/scratch.ts";
import { rowFlag } from "../store/chunk.ts";

export class Durations {
  /** By group: where its part ends; while it is filled, where its next duration goes. */
  private readonly ends: Uint32Array;
  /** All durations, milliseconds. */
  readonly values: Uint32Array;

  /** `knownOf`: how many durations each group has; 0 for one that is not asked for, whatever it gets. */
  constructor(private readonly knownOf: Uint32Array) {
    this.ends = new Uint32Array(knownOf.length);
    let end = 0;
    for (let group = 0; group < knownOf.length; group++) {
      this.ends[group] = end;
      end += knownOf[group]!;
    }
    scratch.need(4 * (knownOf.length + end));
    this.values = new Uint32Array(end);
  }

  /** Adds `count` rows: their groups, flags, and durations. */
  addRows(groups: Uint32Array, flags: Uint8Array, durations: Uint32Array, count: number): void {
    const { ends, values, knownOf } = this;
    for (let at = 0; at < count; at++) {
      if ((flags[at]! & rowFlag.timed) === 0) continue;
      const group = groups[at]!;
      if (knownOf[group] === 0) continue;
      const place = ends[group]!;
      values[place] = durations[at]!;
      ends[group] = place + 1;
    }
  }

  /** Those of a group, in no order. */
  of(group: number): Uint32Array {
    const end = this.ends[group]!;
    return this.values.subarray(end - this.knownOf[group]!, end);
  }
}

/** The quantiles of numbers for rising shares of 0 to 1; 0 where there are none. Puts the numbers into another order. */
export function quantilesOf(values: Uint32Array, shares: readonly number[]): number[] {
  return interpolated(values.length, shares, (rank) => selected(values, rank));
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

/**
 * The number of a rank from 0 on, by Quickselect (Hoare, "Algorithm 65: Find", 1961) with the median of three as pivot.
 * Afterwards no number before that rank is greater than it, and none after it is less.
 */
function selected(values: Uint32Array, rank: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = medianOfThree(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left]! < pivot) left++;
      while (values[right]! > pivot) right--;
      if (left > right) break;
      const value = values[left]!;
      values[left++] = values[right]!;
      values[right--] = value;
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank]!;
}

function medianOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
