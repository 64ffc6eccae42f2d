/**
 * The result of applying a record, known once the record is durable. The answer to a request follows from it alone.
 * Exported for tests.
 */
export const outcomes = [
  /** Applied. An unload or event whose load is missing will be applied when the load comes. */
  "done",
  /** A load whose beacon is known on this website: a retry. */
  "duplicate",
  /** An unload, or an event without a website, more than 24 hours after its load. */
  "late",
  /** The website, account or session is gone. */
  "missing",
  /**
   * Refused: the name or the id belongs to another, it is there already, or there are as many as there may be. Who made the
   * record looks which of them it was.
   */
  "taken",
  /** Refused: the website would have no owner. */
  "needed",
  /** Refused: a name and its `www.` forms would have no owner in common any more. */
  "parted",
  /** An import that does not continue where the last one of this file stopped. */
  "misplaced",
] as const;
export type Outcome = (typeof outcomes)[number];
