/** The counts of a removal of page views, and what they are in words. */
import { t } from "../texts/words.ts";

/** The counts of a removal, as the API answers them. */
export interface RemovalCounts {
  readonly pageviews: number;
  readonly visitors: number;
  /** The number of properties, on page views and on events. */
  readonly events: number;
  /** False if they were only counted. */
  readonly removed: boolean;
}

/** Returns, in sentences, what would go or has gone. */
export function removalText({ pageviews, visitors, events, removed }: RemovalCounts): string {
  if (pageviews === 0 && events === 0)
    return removed
      ? t("There was nothing left to remove.")
      : t("Nothing was counted that these filters select.");
  const list = [
    t("{n} page view|{n} page views", { n: pageviews }),
    t("{n} event|{n} events", { n: events }),
    t("{n} visitor|{n} visitors", { n: visitors }),
  ].join(", ");
  return removed ? t("Removed: {list}.", { list }) : t("Would be removed: {list}.", { list });
}
