/** How the columns of a rollup with one part, of one month or of many together, are read when they are first asked for. */
import type { SumColumns, VisitEnds, Visits } from "./reduced-sections.ts";

/** Returns the columns but those of timed visits. `ids` are the values; the others read what their columns are in. */
export function columnsOfWhole(
  ids: Uint32Array,
  sums: () => SumColumns,
  visits: () => Visits,
  visitEnds: () => VisitEnds,
) {
  return {
    ids: () => ids,
    ends: () => Uint32Array.of(ids.length),
    unique: () => sums().unique,
    counts: () => sums().counts,
    totalMs: () => sums().totalMs,
    visitsOfPart: () => visits().visitsOfPart,
    visits: () => visitEnds().visits,
    distinctVisits: () => visits().distinctVisits,
  };
}
