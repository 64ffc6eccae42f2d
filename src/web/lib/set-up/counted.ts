/** The number that a button names which imports or removes what was counted. */
import { t } from "../texts/words.ts";

interface Counted {
  readonly pageviews: number;
  readonly events: number;
}

/** Returns how many page views there are; of events where there is nothing else. */
export function countedText({ pageviews, events }: Counted): string {
  return pageviews === 0 && events > 0
    ? t("{n} event|{n} events", { n: events })
    : t("{n} page view|{n} page views", { n: pageviews });
}
