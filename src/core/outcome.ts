/** What `apply` says of a record once it is durable; an answer to a request follows from nothing else. */
export const outcomes = [
  /** Applied, or for an unload or event: will be when its load comes. */
  "done",
  /** A load whose beacon is known on this website: a retry. */
  "duplicate",
  /** An unload, or an event without a website, more than 24 hours after its load. */
  "late",
  /** The website, account or session is gone. */
  "missing",
  /** The hostname or username belongs to another. */
  "taken",
  /** An import that does not go on where the last one of this file stopped. */
  "misplaced",
] as const;
export type Outcome = (typeof outcomes)[number];
