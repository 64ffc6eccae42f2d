/** The counts of a removal of page views, and what they are in words. */
import { count } from "../format.ts";

/** As the API answers. */
export interface RemovalCounts {
  readonly pageviews: number;
  readonly visitors: number;
  /** The number of properties, on page views and on events. */
  readonly events: number;
  /** False if they were only counted. */
  readonly removed: boolean;
}

export function viewsText(pageviews: number): string {
  return `${count(pageviews)} ${pageviews === 1 ? "page view" : "page views"}`;
}

/** Returns, in sentences, what would go or has gone. */
export function removalText({ pageviews, visitors, events, removed }: RemovalCounts): string {
  if (pageviews === 0 && events === 0)
    return removed ? "There was nothing left to remove." : "Nothing was counted that these filters select.";
  const properties = events === 0 ? "" : ` and ${count(events)} ${events === 1 ? "property" : "properties"}`;
  const gone = removed ? `${pageviews === 1 && events === 0 ? "was" : "were"} removed` : "would be removed";
  const visitorsGone = `${count(visitors)} ${visitors === 1 ? "visitor" : "visitors"}`;
  return `${viewsText(pageviews)}${properties} ${gone}: ${visitorsGone} fewer.`;
}
