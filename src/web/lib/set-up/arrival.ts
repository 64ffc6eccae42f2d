/** Says whether hits of a website arrive, for its set-up page. */

export type Arrival = "unknown" | "waiting" | "imported" | "first" | "receiving";

/**
 * `hits`: how many are known, of all time; undefined until it is known. `visitors`: those of the last minutes. `waited`:
 * whether the page said before that it waits. `isQuiet`: files were imported, and nobody came within 24 hours: what is there
 * need not come from the website itself.
 */
export function arrivalOf(
  hits: number | undefined,
  visitors: number | undefined,
  waited: boolean,
  isQuiet = false,
): Arrival {
  const hasHits = (hits ?? 0) > 0;
  if ((hasHits && !isQuiet) || (visitors ?? 0) > 0) return waited ? "first" : "receiving";
  if (hasHits) return "imported";
  return hits === undefined ? "unknown" : "waiting";
}
