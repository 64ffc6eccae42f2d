/** Durations in their order, in two bytes each. */

export interface SortedDurations {
  /** By a duration's bits above the lower 16: where its part of `low` ends. */
  readonly ends: Uint32Array;
  /** The lower 16 bits, rising within a part. */
  readonly low: Uint16Array;
}

export const lowBits = 16;
export const lowMax = 2 ** lowBits - 1;

/** `values`: milliseconds in any order; they are sorted. */
export function sortDurations(values: Uint32Array): SortedDurations {
  values.sort();
  const { length } = values;
  const ends = new Uint32Array(((values[length - 1] ?? 0) >>> lowBits) + 1);
  const low = new Uint16Array(length);
  for (let at = 0; at < length; at++) {
    const value = values[at] as number;
    low[at] = value & lowMax;
    ends[value >>> lowBits] = at + 1;
  }
  for (let high = 1; high < ends.length; high++)
    ends[high] = Math.max(ends[high] as number, ends[high - 1] as number);
  return { ends, low };
}
