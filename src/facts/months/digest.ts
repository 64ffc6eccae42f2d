/**
 * Digests of durations: t-digests whose centroids have equal weights (scale function k0), so that the rank of each is
 * known to within one of them, however digests are merged. They are made of sorted durations: chance has no part in
 * them. Groups of few durations are exact.
 */
import { addGaps, gapsOf, packed, unpacked } from "../../lib/packing/packed-columns.ts";

/** The most centroids of a group: each has at most half a percent of its durations. Exported for tests. */
export const centroidsMax = 200;

/** Groups of durations, such as those of each hour. */
export interface Digests {
  /** By group: its key, rising. */
  readonly keys: Uint32Array;
  /** By group: the number of its durations. */
  readonly counts: Uint32Array;
  /** By group: the end of its centroids. */
  readonly ends: Uint32Array;
  /**
   * By centroid: the number that stands for its durations, in whole milliseconds, rising within a group. It is the
   * roundest one between their first and third quartile; in files of the first format it is their mean.
   */
  readonly means: Uint32Array;
}

/** `groups`: by key, which rises; the durations of each rise too. */
export function digestsOf(groups: Iterable<readonly [key: number, durations: Uint32Array]>): Digests {
  const [keys, counts, ends, means] = [[] as number[], [] as number[], [] as number[], [] as number[]];
  for (const [key, durations] of groups) {
    if (durations.length === 0) continue;
    const centroids = centroidsIn(durations.length);
    for (let at = 0, from = 0; at < centroids; at++) {
      const end = from + weightOf(durations.length, at);
      const aside = Math.floor((end - from) / 4);
      means.push(roundest(durations[from + aside]!, durations[end - 1 - aside]!));
      from = end;
    }
    keys.push(key);
    counts.push(durations.length);
    ends.push(means.length);
  }
  const words = (numbers: readonly number[]) => Uint32Array.from(numbers);
  return { keys: words(keys), counts: words(counts), ends: words(ends), means: words(means) };
}

/** Returns the number from `least` to `most` with the most zeros at its end: such numbers take fewer bytes. */
function roundest(least: number, most: number): number {
  if (least === most) return least;
  const unit = 2 ** (31 - Math.clz32(least ^ most));
  return most - (most % unit);
}

/** Returns how many centroids a group of this many durations has. */
export function centroidsIn(count: number): number {
  return Math.min(count, centroidsMax);
}

/** Returns the number of durations in the centroid at index `at` of a group of this many. Exported for tests. */
export function weightOf(count: number, at: number): number {
  const centroids = centroidsIn(count);
  return Math.floor(((at + 1) * count) / centroids) - Math.floor((at * count) / centroids);
}

export function packedDigests({ keys, counts, ends, means }: Digests): Uint8Array {
  return packed([gapsOf(keys, Uint32Array.of(keys.length)), counts, gapsOf(means, ends)]);
}

export function unpackedDigests(data: Uint8Array): Digests {
  const [keys, counts, means] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
  let end = 0;
  const ends = counts.map((count) => (end += centroidsIn(count)));
  return { keys: addGaps(keys, Uint32Array.of(keys.length)), counts, ends, means: addGaps(means, ends) };
}
