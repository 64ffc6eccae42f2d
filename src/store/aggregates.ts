/**
 * What finished rows add up to, made once: of a sealed chunk, or of all chunks of a month that is over. Whatever is
 * here is also had from the rows; it only saves reading them.
 */
import type { Chunk } from "./chunk.ts";
import type { NameEvents } from "./name-events.ts";
import type { PageDurations } from "./page-durations.ts";
import type { Quarters } from "./quarters.ts";
import type { Rollup } from "./rollup.ts";
import type { RowSets } from "./row-sets.ts";
import type { Wavelet } from "./wavelet.ts";

/** The whole of the rows as one stretch, or each UTC day of theirs. */
export type Unit = "whole" | "day";

/** All of it without filters. */
export interface Aggregates {
  /**
   * By value of a dimension (its index), visitors as `visitorOf` says. undefined where it would not be small against
   * the rows. By day only of a chunk with rows of more than one.
   */
  rollup(dimension: number, unit: Unit): Rollup | undefined;
  quarters(): Quarters;
  /** Milliseconds of all page views whose time is known, those of one quarter after those of another. */
  durations(): Wavelet;
  /** Rising within each page. */
  pageDurations(): PageDurations;
  events(): NameEvents;
  /** Of a chunk, by value of a dimension (its index); undefined where it has too many, and of a month. */
  rowSets(dimension: number): RowSets | undefined;
}

export interface MonthAggregates extends Aggregates {
  /** Numbers of the chunks that it stands for. */
  readonly chunks: ReadonlySet<number>;
}

/** Where those of one website are found. What is not there yet is had from the rows. */
export interface AggregatesSource {
  /** The chunk is sealed where there are some. */
  ofChunk(chunk: Chunk): Aggregates | undefined;
  /** `monthMs`: its start. */
  ofMonth(monthMs: number): MonthAggregates | undefined;
}
