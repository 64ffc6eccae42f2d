/** Says whether hits of a website arrive, for its set-up page. */

export type Arrival = "unknown" | "waiting" | "first" | "receiving";

/**
 * `pageviews`: the number of all time; undefined until it is known. `visitors`: those of the last minutes. `waited`:
 * whether the page said before that it waits.
 */
export function arrivalOf(
  pageviews: number | undefined,
  visitors: number | undefined,
  waited: boolean,
): Arrival {
  const some = (pageviews ?? 0) > 0 || (visitors ?? 0) > 0;
  if (some) return waited ? "first" : "receiving";
  return pageviews === undefined ? "unknown" : "waiting";
}
