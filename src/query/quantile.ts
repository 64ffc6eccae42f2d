/**
 * Durations of the selected rows, side by side by group, and exact quantiles of them. Only the groups that are
 * asked for are sorted.
 */
import { scratch } from "../lib/scratch.ts";
import { rowFlag } from "../store/chunk.ts";
import type { Block } from "./block.ts";
import type { PageDurations } from "../store/page-durations.ts";

export class Durations {
  /** Where each group's part ends; while filling, where its next duration goes. */
  private readonly ends: Uint32Array;
  private readonly values: Uint32Array;

  /** `knownOf`: how many durations each group has; 0 for one that is not asked for, whatever it gets. */
  constructor(private readonly knownOf: Uint32Array) {
    this.ends = new Uint32Array(knownOf.length);
    let end = 0;
    for (let group = 0; group < knownOf.length; group++) {
      this.ends[group] = end;
      end += knownOf[group] as number;
    }
    scratch.need(4 * (knownOf.length + end));
    this.values = new Uint32Array(end);
  }

  /** `groupOf`: the group of each row of the block. */
  add({ chunk: { flags, duration }, start, rows, count }: Block, groupOf: Uint32Array): void {
    const { ends, values, knownOf } = this;
    for (let at = 0; at < count; at++) {
      const row = rows[at] as number;
      if (((flags[start + row] as number) & rowFlag.timed) === 0) continue;
      const group = groupOf[row] as number;
      if (knownOf[group] === 0) continue;
      const place = ends[group] as number;
      values[place] = duration[start + row] as number;
      ends[group] = place + 1;
    }
  }

  /** Pages are groups. Returns how many durations were added. */
  addPages({ ids, ends: partEnds, values: all }: PageDurations): number {
    const { ends, values, knownOf } = this;
    let added = 0;
    let from = 0;
    for (let part = 0; part < ids.length; part++) {
      const end = partEnds[part] as number;
      const group = ids[part] as number;
      if (knownOf[group] !== 0) {
        let place = ends[group] as number;
        for (let at = from; at < end; at++) values[place++] = all[at] as number;
        ends[group] = place;
        added += end - from;
      }
      from = end;
    }
    return added;
  }

  /** The quantiles of a group for rising shares of 0 to 1. */
  quantiles(group: number, shares: readonly number[]): number[] {
    const sorted = this.sorted(group);
    return interpolated(sorted.length, shares, (rank) => sorted[rank] as number);
  }

  /** Those of a group. */
  sorted(group: number): Uint32Array {
    const end = this.ends[group] as number;
    return this.values.subarray(end - (this.knownOf[group] as number), end).sort();
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
    const high = below < position ? nth(below + 1) : low;
    return Math.floor(low + (high - low) * (position - below) + 0.5);
  });
}
