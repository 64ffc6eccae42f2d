/**
 * Facts of a sealed chunk: sums of its rows that answer what nobody filters. Nothing of a sealed chunk changes, so they
 * are right for as long as the chunk is there. Whatever they say is also had from the rows: facts only save reading them.
 */
import type { Chunk } from "../store/columns/chunk.ts";
import type { ReadSite } from "../store/mirror/read-site.ts";
import type { NameEvents } from "./events.ts";
import type { PageDurations } from "./pages.ts";
import type { Quarters } from "./quarters.ts";
import type { Rollup, Unit } from "./entries.ts";
import type { Wavelet } from "./wavelet.ts";

export interface ChunkFacts {
  /**
   * Sums by value of a dimension (its index), visitors as `visitorOf` says. undefined where it would not be small
   * against the rows, and by day where all rows are of one day.
   */
  rollup(dimension: number, unit: Unit): Rollup | undefined;
  quarters(): Quarters;
  /** Milliseconds of all page views whose time is known, those of one quarter of an hour after those of another. */
  durations(): Wavelet;
  /** The same milliseconds by page, rising within each. */
  pageDurations(): PageDurations;
  /** Events by property name, of all properties of the chunk. */
  events(): NameEvents;
}

/** Finds the facts of the chunks of one website. */
export interface FactsSource {
  /** undefined where there are none, or none yet: then the rows are read. */
  ofChunk(chunk: Chunk): ChunkFacts | undefined;
}

/** A website as questions see it. */
export interface SiteWithFacts extends ReadSite {
  readonly facts?: FactsSource | undefined;
}
