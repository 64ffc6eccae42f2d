/** The answer about what just happened on a website. Nothing in it says which entries belong to one visitor. */

/** The most page views, and the most events, of an answer. */
export const recentEntriesMax = 50;
/** The most pages, and the most sources, of an answer. */
export const recentRowsMax = 10;
/** How many minutes an answer covers; fewer where more was logged than is walked at once. */
export const recentMinutes = [30, 15, 5, 1] as const;

interface RecentEntry {
  /** The start of its minute, RFC 3339. */
  readonly minute: string;
  /** The names of the goals that it reaches. */
  readonly goals: readonly string[];
}

export interface RecentView extends RecentEntry {
  readonly path: string;
  /** The UTM source, else the group of the referrer; "" for neither. */
  readonly source: string;
  readonly country: string;
  readonly device: string;
}

export interface RecentEvent extends RecentEntry {
  /** The names and values that were sent together, in their order. */
  readonly properties: readonly RecentProperty[];
}

export interface RecentProperty {
  readonly name: string;
  readonly value: string;
  /** The value, where it was sent as a number. */
  readonly number?: number;
}

/** A page or a source with its page views by minute, the oldest first. */
export interface RecentRow {
  readonly name: string;
  readonly pageviews: readonly number[];
}

export interface Recent {
  /** The start of the first minute, RFC 3339. */
  readonly start: string;
  /** All page views by minute, the oldest first. */
  readonly pageviews: readonly number[];
  readonly pages: readonly RecentRow[];
  /** The sources of the page views that came from elsewhere. */
  readonly sources: readonly RecentRow[];
  /** The latest first. */
  readonly views: readonly RecentView[];
  /** The latest first. */
  readonly events: readonly RecentEvent[];
}
