/** Searches for a time among rows sorted by time. */
import type { Chunk } from "./chunk.ts";

/**
 * Returns the first row from `low` on, before `high`, that is not before `ms`; `high` if there is none. The chunk is
 * sorted.
 */
export function firstFrom(
  { time, monthMs }: Pick<Chunk, "time" | "monthMs">,
  ms: number,
  low: number,
  high: number,
): number {
  const wanted = ms - monthMs;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (time[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
