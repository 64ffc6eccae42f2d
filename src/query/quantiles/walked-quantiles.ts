/**
 * Exact quantiles of durations that are too many to be copied side by side. The rows are walked several times: each walk
 * counts, for each rank that is looked for, the durations that begin with the bits found so far by the bits after these. So
 * memory follows the groups that are asked for, and not the rows.
 */
import { scratch, ScratchWords } from "../../lib/memory/scratch.ts";
import { Durations, interpolated, quantilesOf, timedBit } from "./quantile.ts";

/** The share of a thread's memory that copies of durations may take, of 4 bytes each, and the least number of copies. */
const copiedShare = 1 / 16;
const copiedMin = 2 ** 18;
/** A duration is a number of so many bits. */
const durationBits = 32;
/** One walk finds at most so many, so that two are enough for a few groups. */
const bitsMax = 16;
/** The counters of one walk, 4 MiB, unless there are more groups than that. */
const countersMax = 2 ** 20;

/** This thread's counters: one walk is over before the next one begins. */
const counterScratch = new ScratchWords();

/** Returns the most durations that a thread copies side by side, by the bytes that it may take. */
export function copiedMaxOf(memoryBytes: number): number {
  return Math.max(copiedMin, (memoryBytes * copiedShare) / 4);
}

/** Takes the groups, flags and durations of `count` rows. */
export type AddRows = (groups: Uint32Array, flags: Uint8Array, durations: Uint32Array, count: number) => void;

/** A value that is looked for: what is known of it, and its rank among the durations that begin so. */
interface Sought {
  readonly group: number;
  /** Its highest bits. */
  bits: number;
  rank: number;
  /** The place of its counters. */
  slot: number;
}

/**
 * Returns a function that gives the exact quantiles of the known durations of one of `groups`, for rising shares of 0 to 1.
 * `knownOf`: the number of known durations, by group. `walk` adds all rows, of other groups too: once where there are no more
 * than `copiedMax`, which are copied side by side; else up to 32 times, mostly two or three.
 */
export function exactQuantiles(
  knownOf: Uint32Array,
  groups: readonly number[],
  shares: readonly number[],
  walk: (addRows: AddRows) => void,
  copiedMax: number,
): (group: number) => number[] {
  if (knownOf.reduce((sum, known) => sum + known, 0) > copiedMax) {
    const quantiles = walkedQuantiles(knownOf, groups, shares, walk);
    return (group) => quantiles.get(group)!;
  }
  const copied = new Durations(knownOf);
  walk((ofRows, flags, durations, count) => copied.addRows(ofRows, flags, durations, count));
  return (group) => quantilesOf(copied.of(group), shares);
}

function walkedQuantiles(
  knownOf: Uint32Array,
  groups: readonly number[],
  shares: readonly number[],
  walk: (addRows: AddRows) => void,
): Map<number, number[]> {
  const sought = new Map(groups.map((group) => [group, soughtOf(group, knownOf[group]!, shares)]));
  const all = [...sought.values()].flatMap((ofGroup) => [...ofGroup.values()]);
  for (let left = durationBits; left > 0;) {
    const step = new Step(all, knownOf.length, left);
    walk((ofRows, flags, durations, count) => step.addRows(ofRows, flags, durations, count));
    step.end();
    left = step.left;
  }
  return new Map(
    groups.map((group) => {
      const valueOf = (rank: number) => sought.get(group)!.get(rank)!.bits;
      return [group, interpolated(knownOf[group]!, shares, valueOf)];
    }),
  );
}

/** Returns the values that the quantiles of a group are made of, by their ranks. */
function soughtOf(group: number, known: number, shares: readonly number[]): Map<number, Sought> {
  const sought = new Map<number, Sought>();
  interpolated(known, shares, (rank) => {
    sought.set(rank, { group, bits: 0, rank, slot: -1 });
    return 0;
  });
  return sought;
}

/** One walk, which finds the next bits of all values that are looked for. */
class Step {
  /** The number of lower bits that are still unknown after it. */
  readonly left: number;
  /** By group: the place of its first counters; -1 for none. */
  private readonly first: Int32Array;
  /** By place: the next one of the group, or -1, and the bits that a duration has to begin with. */
  private readonly next: Int32Array;
  private readonly begins: Uint32Array;
  private readonly counters: Uint32Array;
  private readonly bits: number;

  /** `before`: the number of lower bits that are unknown. */
  constructor(
    private readonly sought: readonly Sought[],
    groups: number,
    private readonly before: number,
  ) {
    this.first = new Int32Array(groups).fill(-1);
    this.next = new Int32Array(sought.length).fill(-1);
    this.begins = new Uint32Array(sought.length);
    const slots = this.giveSlots();
    const bits = Math.floor(Math.log2(countersMax / Math.max(1, slots)));
    this.bits = Math.min(before, bitsMax, Math.max(1, bits));
    this.left = before - this.bits;
    const length = slots * 2 ** this.bits;
    scratch.need(4 * (groups + 2 * sought.length));
    this.counters = counterScratch.take(length).fill(0);
  }

  addRows(groups: Uint32Array, flags: Uint8Array, durations: Uint32Array, count: number): void {
    const { first, next, begins, counters, before, left, bits } = this;
    const mask = 2 ** bits - 1;
    for (let at = 0; at < count; at++) {
      if (((flags[at]! >>> timedBit) & 1) === 0) continue;
      const duration = durations[at]!;
      const begin = beginOf(duration, before);
      let slot = first[groups[at]!]!;
      while (slot >= 0 && begins[slot] !== begin) slot = next[slot]!;
      if (slot >= 0) counters[slot * (mask + 1) + ((duration >>> left) & mask)]!++;
    }
  }

  /** Notes the bits that were found. */
  end(): void {
    const { counters, bits } = this;
    for (const each of this.sought) {
      const start = each.slot * 2 ** bits;
      let digit = 0;
      while (each.rank >= counters[start + digit]!) each.rank -= counters[start + digit++]!;
      each.bits = each.bits * 2 ** bits + digit;
    }
  }

  /** Ranks of one group share counters while they may be the same value. Returns how many places there are. */
  private giveSlots(): number {
    const { first, next, begins } = this;
    let slots = 0;
    for (const each of this.sought) {
      let slot = first[each.group]!;
      while (slot >= 0 && begins[slot] !== each.bits) slot = next[slot]!;
      if (slot < 0) {
        slot = slots++;
        begins[slot] = each.bits;
        next[slot] = first[each.group]!;
        first[each.group] = slot;
      }
      each.slot = slot;
    }
    return slots;
  }
}

/** Returns the bits of a duration above its lowest ones. */
function beginOf(duration: number, lowest: number): number {
  return lowest === durationBits ? 0 : duration >>> lowest;
}
