/** Tells the hits of a row apart: each has a time of its own. */
import type { Chunk } from "../columns/chunk.ts";

/** The newest properties of a chunk among which those of the row's last hits are looked for. */
const propertiesLookedAt = 1_024;

/**
 * Returns the time for the properties of one more hit of a row: the one that it came with, or the next that none of the last
 * hits has. A browser may send several events in a millisecond, and a server may give many the same time; the number of one
 * would otherwise be summed up with the other.
 */
export function timeOfHit(chunk: Chunk, row: number, cameMs: number): number {
  const { propertyRow, properties } = chunk;
  const taken = new Set<number>();
  for (let index = Math.max(0, properties - propertiesLookedAt); index < properties; index++)
    if (propertyRow[index] === row) taken.add(chunk.propertyTimeMs(index));
  let ms = cameMs;
  while (taken.has(ms)) ms++;
  return ms;
}
