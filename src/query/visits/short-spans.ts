/**
 * Finds spans of time whose visits sums cannot count. Sums know when visits begin and end: a visit that begins before a span
 * and ends after it counts there, and has a row in it unless the span is shorter than a visit may be.
 */
import { visitSpanMsMax } from "../../core/hit.ts";

/** The times of the first and the last row that sums were made of. */
interface Bounds {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Returns whether a visit may count in a span without a row in it: in a short one that rows lie before and after. The
 * first and the last span of a chart are often short, and mostly the rows lie on one side of them.
 */
export function hasShortWithin(edgesMs: readonly number[], { minMs, maxMs }: Bounds): boolean {
  return edgesMs.some(
    (endMs, at) =>
      at > 0 && edgesMs[at - 1]! > minMs && endMs <= maxMs && endMs - edgesMs[at - 1]! < visitSpanMsMax,
  );
}
