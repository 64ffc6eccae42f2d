/** Properties that came to another chunk than that of their page view. */
import type { Chunk } from "../columns/chunk.ts";
import type { RowRef } from "./site.ts";

/**
 * Moves properties to the chunk of their row; near the turn of a month they may have come to another chunk first.
 * Returns false if they stay: that chunk was sealed before the clock was set back, and may have been merged by now.
 */
export function moveProperties(
  from: Chunk | undefined,
  first: number,
  count: number,
  { chunk, row }: RowRef,
): boolean {
  if (from === undefined || from.sealed) return false;
  for (let index = first; index < first + count; index++) {
    const [name, value] = [from.propertyName[index] as number, from.propertyValue[index] as number];
    chunk.addProperty(row, name, value, from.propertyTimeMs(index), from.propertyNumber[index]);
    from.moveProperty(index);
  }
  return true;
}
