/** Whether hits of a website arrive, as its set-up page says it. */

export type Arrival = "unknown" | "waiting" | "first" | "receiving";

/**
 * `pageviews`: of all time, undefined until they are known. `visitors`: of the last minutes. `waited`: the page
 * said before that it waits.
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
