/** The dimensions that a channel is looked up from: those of the hit, and those of its visit. */
import type { DerivedName, StoredName } from "./stored-dimension.ts";

export const channelMembers = {
  channel: {
    referrer: "referrer",
    source: "utm_source",
    medium: "utm_medium",
    campaign: "utm_campaign",
  },
  visit_channel: {
    referrer: "visit_referrer",
    source: "visit_utm_source",
    medium: "visit_utm_medium",
    campaign: "visit_utm_campaign",
  },
} as const satisfies Readonly<Record<DerivedName, Readonly<Record<string, StoredName>>>>;
