/** Tells the hits of a row apart: each has a time of its own. */
import type { RowRef } from "./row-ref.ts";

/** The newest properties of a chunk among which those of the row's last hits are looked for. */
const propertiesLookedAt = 1_024;

/**
 * Returns the time for the properties of one more hit of a row: the one that it came with, or the next that none of the last
 * hits has. A browser may send several events in a millisecond, and a server may give many the same time; the number of one
 * would otherwise be summed up with the other. `isApart`: as its record says; one from before keeps the time that it had
 * when it was applied first, so that each copy of the state has the same.
 */
export function timeOfHit({ chunk, row }: RowRef, cameMs: number, isApart = false): number {
  if (!isApart) return cameMs;
  const { propertyRow, properties } = chunk;
  const from = Math.max(0, properties - propertiesLookedAt);
  const taken = new Set<number>();
  for (let index = from; index < properties; index++)
    if (propertyRow[index] === row) taken.add(chunk.propertyTimeMs(index));
  const [first, last] = [Math.min(...taken), Math.max(...taken)];
  // Hits at one millisecond after the other are what was told apart here, and may have begun before what is looked at: there
  // is a property for each.
  const isRun = taken.size > 1 && last - first === taken.size - 1;
  if (isRun && cameMs < first && first - cameMs <= from) return last + 1;
  let ms = cameMs;
  while (taken.has(ms)) ms++;
  return ms;
}
