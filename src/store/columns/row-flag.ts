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

/** The bits that say which part a row has in its visit. Rows without a visit have none. */
export const visitFlag = {
  /** The first page view of its visit. */
  entry: 1,
  /** The last page view of its visit so far. */
  exit: 2,
  /** Set where `entry` is: the visit has a second page view, an event, or a first page seen for `engagedMs`. */
  engaged: 4,
} as const;
/** One more than the greatest combination of these flags. */
export const visitFlagsMax = 8;

/** The visits that facts count by what a page view is in them: how many numbers, and which is which. */
export const visitParts = 3;
export const visitPart = { entries: 0, bounced: 1, exits: 2 } as const;

/** Adds a page view with these bits of `visitFlag` to the `visitParts` counts from index `to` on. */
export function addVisitParts(counts: Uint32Array, to: number, flags: number): void {
  if (flags & visitFlag.entry) {
    counts[to + visitPart.entries]!++;
    if ((flags & visitFlag.engaged) === 0) counts[to + visitPart.bounced]!++;
  }
  if (flags & visitFlag.exit) counts[to + visitPart.exits]!++;
}

/** Returns 1 for the flags of a page view, 0 for those of an event without one. */
export function isPageView(flags: number): number {
  return flags & rowFlag.bare ? 0 : 1;
}

/** Returns the flags of a page view from the hit's `p` and `q`. */
export function viewFlags(unique: boolean, seen: boolean): number {
  return (unique ? rowFlag.unique : 0) | (unique || !seen ? rowFlag.first : 0);
}
