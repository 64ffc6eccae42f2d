/** The bits of a row's flags. */

export const rowFlag = {
  /** The hit's `p`: the first page view of a visitor. */
  unique: 1,
  /** The first view of this page by a visitor: `p`, or not `q`. */
  first: 2,
  /** The time on the page is known. */
  timed: 4,
  /** The time on the page is known, and under five seconds. */
  short: 8,
  /** The page view had a custom event. */
  evented: 16,
  /** The row of an event without a page view. It counts as no page view. */
  bare: 32,
} as const;
/** One more than the greatest combination of flags. */
export const rowFlagsMax = 2 * Math.max(...Object.values(rowFlag));

/** The flags of a removed row in a chunk that still changes. No hit gives a row both: only page views have events. */
export const emptyRowFlags = rowFlag.bare | rowFlag.evented;
