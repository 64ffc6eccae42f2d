/** The description of a chunk, and the limits of chunks. */
import type { ColumnName } from "../../core/questions/dimension.ts";

export const chunkRowsMin = 256;
/** The most rows that a chunk takes; merged chunks have more. Format 1. */
export const chunkRowsMax = 65_536;
/** The number of properties that fills a chunk: strangers' page views must not make an endless file. Format 1. */
export const chunkPropertiesMax = 4 * chunkRowsMax;

export type RowIds = Readonly<Record<ColumnName, number>>;

/** A chunk's description without its columns. */
export interface ChunkHead {
  readonly number: number;
  readonly monthMs: number;
  readonly rows: number;
  readonly properties: number;
  readonly sorted: boolean;
  /** minMs, maxMs, propertyMinMs, propertyMaxMs; null where there is none. */
  readonly bounds: readonly (number | null)[];
  /** There never were rows of the month, or of its time before `untilMs`: another product has exported sums. */
  readonly isImported?: boolean;
  readonly untilMs?: number;
  /** Names were folded after the month gave up its rows: a visit that had two of them is twice in the visits of `(other)`. */
  readonly isFolded?: boolean;
}
