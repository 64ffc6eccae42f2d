/**
 * What finished rows add up to, made once: of a sealed chunk, or of all chunks of a month that is over. Whatever is
 * here is also had from the rows; it only saves reading them.
 */
import type { Chunk } from "./chunk.ts";
import type { Rollup } from "./rollup.ts";

/** The whole of the rows as one stretch, or each UTC day of theirs. */
export type Unit = "whole" | "day";

export interface Aggregates {
  /** By value of a dimension (its index), unfiltered; undefined where it would not be small against the rows. */
  rollup(dimension: number, unit: Unit): Rollup | undefined;
}

export interface MonthAggregates extends Aggregates {
  /** Numbers of the chunks that it stands for. */
  readonly chunks: ReadonlySet<number>;
}

/** Where those of one website are found. What is not there yet is had from the rows. */
export interface AggregatesSource {
  ofChunk(chunk: Chunk): Aggregates | undefined;
  /** `monthMs`: its start. */
  ofMonth(monthMs: number): MonthAggregates | undefined;
}
