/** The one table of why a hit was not counted, or not in full. The API, the log and the dashboard follow from it. */

export const rejections = {
  crawler: "A crawler or a headless browser",
  referrer_spam: "A referrer that is known for spam",
  blocked: "Blocked by the rules of the website",
  flood: "More than one network or one page may send, or than the memory holds",
  duplicate: "Sent a second time",
  late: "More than a day after its page view",
  early: "An unload or an event whose page view never came",
  limit: "Counted, but with a name that is not kept apart: see (other)",
  malformed: "Not what a tracker sends",
} as const;

export type Rejection = keyof typeof rejections;
export const rejectionNames = Object.keys(rejections) as readonly Rejection[];

/** Why a hit is answered `accepted: false`. */
export type RejectionReason = Exclude<Rejection, "early" | "limit" | "malformed">;
export const rejectionReasons = rejectionNames.filter(
  (name): name is RejectionReason => !["early", "limit", "malformed"].includes(name),
);

/** How many hits were not counted, by reason; a reason that is missing had none. */
export type RejectionCounts = Readonly<Partial<Record<Rejection, number>>>;

/** The most UTC days for which a website's counts are kept: the latest that have some. */
export const rejectionDaysMax = 366;
