/** Finds the part of each chunk that lies in a period, as ranges of rows. */
import type { Period } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { firstFrom } from "../../store/chunks/first-from.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";

/** The rows of a chunk from `from` up to `to`. If they are not sorted by time, `period` selects among them. */
export interface RowRange {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
  readonly period: Period | undefined;
}

export function* rangesOf(site: ReadSite, period: Period): Generator<RowRange> {
  for (const chunk of site.chunks.values()) if (touches(chunk, period)) yield rangeOf(chunk, period);
}

/** Returns whether a chunk, or a month without rows, may have something in the period. */
export function touches(
  { minMs, maxMs }: Pick<Chunk, "minMs" | "maxMs">,
  { startMs, endMs }: Period,
): boolean {
  return minMs <= endMs && maxMs >= startMs;
}

export function rangeOf(chunk: Chunk, period: Period): RowRange {
  const { minMs, maxMs, rows, sorted } = chunk;
  if (minMs >= period.startMs && maxMs <= period.endMs)
    return { chunk, from: 0, to: rows, period: undefined };
  if (!sorted) return { chunk, from: 0, to: rows, period };
  const from = firstFrom(chunk, period.startMs, 0, rows);
  return { chunk, from, to: firstFrom(chunk, period.endMs + 1, from, rows), period: undefined };
}
