/** How the columns of a rollup with one part, of one month or of many together, are read when they are first asked for. */
import type { Sums, Visits } from "./reduced-sections.ts";

/** Returns the columns but those of timed visits. `ids` are the values; `sums` and `visits` read what their columns are in. */
export function columnsOfWhole(ids: Uint32Array, sums: () => Sums, visits: () => Visits) {
  return {
    ids: () => ids,
    ends: () => Uint32Array.of(ids.length),
    unique: () => sums().unique,
    counts: () => sums().counts,
    totalMs: () => sums().totalMs,
    visitsOfPart: () => visits().visitsOfPart,
    visits: () => visits().visits,
    distinctVisits: () => visits().distinctVisits,
  };
}
