/** Searches for a time among rows sorted by time. */
import { firstAtLeast } from "../../lib/search.ts";
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
  return firstAtLeast(time, ms - monthMs, low, high);
}
