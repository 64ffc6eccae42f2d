/**
 * The facts of a sealed chunk: sums of its rows, which answer questions that filter nothing. A sealed chunk never
 * changes, so its facts stay right as long as it exists. Everything they say can also be computed from the rows: facts
 * only save reading them. Facts are no part of the state. A question that they cannot answer, such as one with another
 * definition of a visitor, reads rows.
 */
import type { DerivedName } from "../core/questions/stored-dimension.ts";
import type { Chunk } from "../store/chunks/chunk.ts";
import type { ReadSite } from "../store/mirror/read-site.ts";
import type { NameEvents } from "./events.ts";
import type { GroupedVisits, LabelKind } from "./grouped-visits.ts";
import type { PageDurations } from "./page-durations.ts";
import type { Quarters } from "./quarters.ts";
import type { Rollup, Unit } from "./entries.ts";
import type { ChunkVisits } from "./visits.ts";
import type { Wavelet } from "./wavelet.ts";

/**
 * A rollup adds up by the values of a dimension (its index), or by tuples that stand for channels: by the first tuple of
 * each channel in facts (channel-sums.ts), and in months without rows by tuples of one channel under any table of them
 * (channel-tuples.ts).
 */
export type RollupOf = number | DerivedName;

/** The tuples that a rollup by channel was added up by: how many there were, and a checksum of their channels. */
export interface ChannelCheck {
  readonly tuples: number;
  readonly checksum: number;
}

/** The distinct visits that are counted: all, or those that are timed, by a page view whose time is known. */
export type CountedVisits = "all" | "timed";

export interface ChunkFacts {
  /**
   * Returns the sums by value of a dimension, with visitors as `visitorOf` says; or by tuple that stands for its channel,
   * which are right only with the channels of `channelCheck`. Returns undefined if the rollup would not be small compared
   * to the rows, and by day if all rows are of one day.
   */
  rollup(of: RollupOf, unit: Unit): Rollup | undefined;
  channelCheck(of: DerivedName): ChannelCheck;
  /** Returns the visits by label of the values of such a rollup; undefined if no two of them had one label. */
  groupedVisits(by: LabelKind, unit: Unit): GroupedVisits | undefined;
  quarters(): Quarters;
  /** The milliseconds of all page views whose time is known, in the order of their quarters of an hour. */
  durations(): Wavelet;
  /** The same milliseconds by page, rising within each page. */
  pageDurations(): PageDurations;
  /** The number of events by property name, over all properties of the chunk. */
  events(): NameEvents;
  /** Returns which visits have rows in the chunk. */
  visits(): ChunkVisits;
  /**
   * Returns copies of the rows, by time, of visits whose first or last page view is not in the chunk; undefined if there
   * are none or too many.
   */
  incompleteVisits(): Chunk | undefined;
}

/** Finds the facts of the chunks of one website. */
export interface FactsSource {
  /** Returns undefined if there are no facts yet, or none at all: then the rows are read. */
  ofChunk(chunk: Chunk): ChunkFacts | undefined;
  /** Asks that facts are made again after the question: they are by channels or labels that values no longer have. */
  makeAgain(chunk: Chunk): void;
}

/** A website as questions see it. */
export interface SiteWithFacts extends ReadSite {
  readonly facts?: FactsSource | undefined;
}
