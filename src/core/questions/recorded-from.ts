/** Judges whether the figures of a website begin within a period that others are compared with. */
import { dayMs } from "../hit.ts";
import type { Period } from "./query.ts";

/** A day that lacks of so many or more changes little. */
const manyDays = 7;

/**
 * Whether figures that begin at a time, RFC 3339, lack so much of a period that they are not its figures: changes would say
 * more of when they begin than of the website. There is no change from nothing at all.
 */
export function beginsWithin({ startMs, endMs }: Period, recordedFrom: string): boolean {
  const firstMs = Date.parse(recordedFrom);
  const mayLackMs = endMs - startMs + 1 >= manyDays * dayMs ? dayMs : 0;
  return firstMs <= endMs && firstMs - startMs > mayLackMs;
}
