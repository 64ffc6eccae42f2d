/**
 * Exact quantiles of durations that are too many to be copied side by side. A first walk over the rows counts the durations
 * of each group in buckets. Then those in the buckets of the quantiles are mostly few enough to be copied by a second walk;
 * if not, another walk divides these buckets. So memory follows the groups that are asked for, and not the rows.
 */
import { scratch, ScratchWords } from "../../lib/memory/scratch.ts";
import { Durations, durationScratch, interpolated, nthOf, quantilesOf, timedBit } from "./quantile.ts";

/** The share of a thread's memory that copies of durations may take, of 4 bytes each, and the least number of copies. */
const copiedShare = 1 / 128;
const copiedMin = 2 ** 18;
/** A duration is a number of so many bits. */
const durationBits = 32;
/**
 * Buckets are log-linear, as those of HdrHistogram: each octave has 2 to this power of them, or fewer where they would be
 * more counters than `countersMax`, 4 MiB, together.
 */
const octaveBitsMax = 6;
const countersMax = 2 ** 20;

/** This thread's counters: one walk is over before the next one begins. */
const counterScratch = new ScratchWords();

/** Returns the most durations that a thread copies side by side, by the bytes that it may take. */
export function copiedMaxOf(memoryBytes: number): number {
  return Math.max(copiedMin, (memoryBytes * copiedShare) / 4);
}

export type AddRows = (groups: Uint32Array, flags: Uint8Array, durations: Uint32Array, count: number) => void;

/** Calls the function for all rows, of groups that are not asked for too. */
export type Walk = (addRows: AddRows) => void;

/**
 * Returns a function that gives the exact quantiles of the known durations of one of `groups`, for rising shares of 0 to 1.
 * `knownOf`: the number of known durations, by group. There is one walk where there are no more than `copiedMax`, which are
 * copied side by side; else mostly two, and at most 33.
 */
export function exactQuantiles(
  knownOf: Uint32Array,
  groups: readonly number[],
  shares: readonly number[],
  walk: Walk,
  copiedMax: number,
): (group: number) => number[] {
  if (knownOf.reduce((sum, known) => sum + known, 0) > copiedMax) {
    const quantiles = walkedQuantiles(knownOf, groups, shares, walk, copiedMax);
    return (group) => quantiles.get(group)!;
  }
  const copied = new Durations(knownOf);
  walk((ofRows, flags, durations, count) => copied.addRows(ofRows, flags, durations, count));
  return (group) => quantilesOf(copied.of(group), shares);
}

/** A value that is looked for, which has this rank among the durations of its part. */
interface Sought {
  rank: number;
  value: number;
}

/** A range of durations of a group. It begins at a multiple of its length, which is 2 to the power of `bits`. */
interface Part {
  readonly group: number;
  readonly from: number;
  readonly bits: number;
  /** The number of durations in it. */
  readonly count: number;
  /** By rising rank. */
  readonly sought: readonly Sought[];
}

/** Returns the quantiles by group. */
function walkedQuantiles(
  knownOf: Uint32Array,
  groups: readonly number[],
  shares: readonly number[],
  walk: Walk,
  copiedMax: number,
): Map<number, number[]> {
  const soughtOf = new Map(groups.map((group) => [group, ranksOf(knownOf[group]!, shares)]));
  let parts: readonly Part[] = Array.from(soughtOf, ([group, ofRank]) => ({
    group,
    from: 0,
    bits: durationBits,
    count: knownOf[group]!,
    sought: [...ofRank.values()],
  }));
  while (parts.reduce((sum, { count }) => sum + count, 0) > Math.max(0, copiedMax)) {
    const narrower = narrowed(parts, new PartTable(parts, knownOf.length), walk);
    parts = narrower.filter(({ bits }) => bits > 0);
  }
  if (parts.length > 0) copySought(parts, new PartTable(parts, knownOf.length), walk);
  return new Map(
    groups.map((group) => {
      const valueOf = (rank: number) => soughtOf.get(group)!.get(rank)!.value;
      return [group, interpolated(knownOf[group]!, shares, valueOf)];
    }),
  );
}

/** Returns the values that the quantiles of a group are made of, by their ranks, which rise. */
function ranksOf(known: number, shares: readonly number[]): Map<number, Sought> {
  const sought = new Map<number, Sought>();
  interpolated(known, shares, (rank) => {
    sought.set(rank, { rank, value: NaN });
    return 0;
  });
  return sought;
}

/** Finds the part that a duration belongs to. */
class PartTable {
  /** By group: the number of its first part; -1 for none. */
  readonly first: Int32Array;
  /** By part: the number of the next one of its group, or -1. */
  readonly next: Int32Array;
  /** By part: the bits that its durations share, and which bits these are. */
  readonly shared: Int32Array;
  readonly mask: Int32Array;

  constructor(parts: readonly Part[], groups: number) {
    scratch.need(4 * (groups + 3 * parts.length));
    this.first = new Int32Array(groups).fill(-1);
    this.next = new Int32Array(parts.length);
    this.shared = Int32Array.from(parts, ({ from }) => from);
    this.mask = Int32Array.from(parts, ({ bits }) => -(2 ** bits));
    for (const [number, { group }] of parts.entries()) {
      this.next[number] = this.first[group]!;
      this.first[group] = number;
    }
  }
}

/** Divides each part into buckets, and returns those in which values are looked for. */
function narrowed(parts: readonly Part[], table: PartTable, walk: Walk): Part[] {
  let octaveBits = octaveBitsMax;
  while (octaveBits > 0 && parts.length * bucketsOf(octaveBits) > countersMax) octaveBits--;
  const buckets = bucketsOf(octaveBits);
  const counters = counterScratch.take(parts.length * buckets).fill(0);
  walk((groups, flags, durations, count) => {
    countBuckets(table, octaveBits, counters, groups, flags, durations, count);
  });
  return parts.flatMap((part, number) =>
    bucketsOfSought(part, octaveBits, counters.subarray(number * buckets, (number + 1) * buckets)),
  );
}

/** Returns how many buckets any part has at most. */
function bucketsOf(octaveBits: number): number {
  return (durationBits + 1 - octaveBits) << octaveBits;
}

/** Adds the known durations that belong to a part to the counter of their bucket in it. */
function countBuckets(
  { first, next, shared, mask }: PartTable,
  octaveBits: number,
  counters: Uint32Array,
  groups: Uint32Array,
  flags: Uint8Array,
  durations: Uint32Array,
  count: number,
): void {
  const buckets = bucketsOf(octaveBits);
  const least = 1 << octaveBits;
  const bitsOfLeast = 31 - octaveBits;
  for (let at = 0; at < count; at++) {
    const duration = durations[at]! | 0;
    let part = first[groups[at]!]!;
    while (part >= 0 && (duration & mask[part]!) !== shared[part]!) part = next[part]!;
    if (part < 0) continue;
    const offset = duration & ~mask[part]!;
    // The lowest bits that the bucket leaves out: what is shorter than an octave's buckets has one of its own.
    const shift = bitsOfLeast - Math.clz32(offset | least);
    counters[part * buckets + (shift << octaveBits) + (offset >>> shift)]! += (flags[at]! >>> timedBit) & 1;
  }
}

/** Returns the buckets of a part in which values are looked for, each as a part of its own. */
function bucketsOfSought(part: Part, octaveBits: number, counters: Uint32Array): Part[] {
  const found: (Part & { readonly sought: Sought[] })[] = [];
  let [bucket, before, last] = [0, 0, -1];
  for (const each of part.sought) {
    while (each.rank >= before + counters[bucket]!) before += counters[bucket++]!;
    if (bucket !== last) {
      const bits = Math.max(0, (bucket >>> octaveBits) - 1);
      const from = part.from + (bucket - (bits << octaveBits)) * 2 ** bits;
      found.push({ group: part.group, from, bits, count: counters[bucket]!, sought: [] });
      last = bucket;
    }
    each.rank -= before;
    // It is the value itself where the bucket has no other.
    each.value = found.at(-1)!.from;
    found.at(-1)!.sought.push(each);
  }
  return found;
}

/** Copies the durations of the parts side by side, and finds the values among them. */
function copySought(parts: readonly Part[], table: PartTable, walk: Walk): void {
  const places = new Int32Array(parts.length);
  let end = 0;
  for (const [number, { count }] of parts.entries()) {
    places[number] = end;
    end += count;
  }
  const values = durationScratch.take(end);
  walk((groups, flags, durations, count) =>
    copyKnown(table, places, values, groups, flags, durations, count),
  );
  for (const [number, { count, sought }] of parts.entries()) {
    const nth = nthOf(values.subarray(places[number]! - count, places[number]));
    for (const each of sought) each.value = nth(each.rank);
  }
}

function copyKnown(
  { first, next, shared, mask }: PartTable,
  places: Int32Array,
  values: Uint32Array,
  groups: Uint32Array,
  flags: Uint8Array,
  durations: Uint32Array,
  count: number,
): void {
  for (let at = 0; at < count; at++) {
    const duration = durations[at]! | 0;
    let part = first[groups[at]!]!;
    while (part >= 0 && (duration & mask[part]!) !== shared[part]!) part = next[part]!;
    if (part >= 0 && ((flags[at]! >>> timedBit) & 1) === 1) values[places[part]!++] = duration;
  }
}
