/** A month of which there never were rows here: sums of its days, as another product exports them. */
import type { DimensionName } from "../../core/questions/dimension.ts";

/** The dimensions whose values have sums of their own. Those of a source come together. */
export const summedNames = [
  "path",
  "browser",
  "os",
  "device",
  "country",
] as const satisfies readonly DimensionName[];
export type SummedName = (typeof summedNames)[number];

/** All are whole numbers. */
export interface Sums {
  readonly pageviews: number;
  readonly visitors: number;
  /** The visits with a page view of it. */
  readonly visits: number;
  /** The visits that began with it, those of them that bounced, and the visits that ended with it. */
  readonly entries: number;
  readonly bounced: number;
  readonly exits: number;
  /** The milliseconds that were spent on it. */
  readonly totalMs: number;
}
const sumFields = ["pageviews", "visitors", "visits", "entries", "bounced", "exits", "totalMs"] as const;
const each = (value: number) =>
  Object.fromEntries(sumFields.map((field) => [field, value])) as Record<keyof Sums, number>;

export const noSums: Sums = each(0);

/** The most that all values of a list may have together in a month: more does not fit into the columns of its facts. */
export const sumsMax: Sums = { ...each(2 ** 32 - 1), totalMs: Number.MAX_SAFE_INTEGER };

/** The path that stands in place of one too long to be kept: it counts as (other). */
export const unkeptPath = "";

export interface DaySums {
  /** The date, as the number of the UTC day since 1970. */
  readonly day: number;
  readonly all: Sums;
  readonly values: Readonly<Record<SummedName, readonly (readonly [value: string, sums: Sums])[]>>;
  readonly sources: readonly (readonly [values: readonly string[], sums: Sums])[];
  readonly events: readonly (readonly [name: string, events: number])[];
}

export interface MonthSums {
  readonly monthMs: number;
  /** The days with page views or events, rising. A month without page views is left out. */
  readonly days: readonly DaySums[];
}

/** Adds sums to others in their place. */
export function addSums(to: Record<keyof Sums, number>, sums: Sums): void {
  for (const field of sumFields) to[field] += sums[field];
}

/** Returns all of them together. */
export function allSums(sums: Iterable<Sums>): Sums {
  const all = { ...noSums };
  for (const own of sums) addSums(all, own);
  return all;
}

/** Returns what is in `all` beside `part`, at least 0 of each. */
export function restOf(all: Sums, part: Sums): Sums {
  return Object.fromEntries(
    sumFields.map((field) => [field, Math.max(0, all[field] - part[field])]),
  ) as unknown as Sums;
}
