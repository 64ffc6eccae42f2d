/** A row of a chunk, and the page view that a beacon names. */
import { emptyRowFlags } from "../columns/row-flag.ts";
import type { Chunk } from "../chunks/chunk.ts";

export interface RowRef {
  readonly chunk: Chunk;
  readonly row: number;
}

/** A page view that a beacon names. */
export interface OpenPageView {
  readonly websiteId: number;
  /** Whether an event at that time goes to it; else the event needs values of its own. */
  readonly takesEvents: boolean;
  /** The chunk that has it; undefined once it takes no more hits, and while it is being logged. */
  readonly chunk: Chunk | undefined;
  /** The number of its visit; 0 for none. */
  readonly visit: number;
}

/** Whether the page view was removed: hits of it are taken, and change nothing. */
export function isEmptyRow({ chunk, row }: RowRef): boolean {
  return chunk.flags[row] === emptyRowFlags;
}

/** Returns when the page view was loaded, in milliseconds since 1970. */
export function loadMsOf({ chunk, row }: RowRef): number {
  return chunk.monthMs + chunk.time[row]!;
}
