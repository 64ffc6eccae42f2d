/** What a question without filters has from aggregates: those of a month before those of its chunks. */
import type { Selection } from "../core/query.ts";
import type { Aggregates, AggregatesSource, MonthAggregates } from "../store/aggregates.ts";
import type { Chunk } from "../store/chunk.ts";
import type { ReadSite } from "../store/read-site.ts";
import { isWhole, rangesOf, type RowRange } from "./range.ts";

/** Something of a chunk that a question asks for, such as a range of its rows. */
interface Piece {
  readonly chunk: Chunk;
}

export interface Finished<P, T> {
  /** What was found, of months and chunks. */
  readonly found: readonly T[];
  /** What is had from rows. */
  readonly left: readonly P[];
}

/**
 * `hasAll`: whether a piece is all of its chunk. `of`: what is looked for; where a month has none of it, its chunks may.
 * A chunk that came to a month after its aggregates were made stands beside them.
 */
export function finishedOf<P extends Piece, T>(
  source: AggregatesSource | undefined,
  pieces: Iterable<P>,
  hasAll: (piece: P) => boolean,
  of: (aggregates: Aggregates) => T | undefined,
): Finished<P, T> {
  if (source === undefined) return { found: [], left: [...pieces] };
  const found: T[] = [];
  const left: P[] = [];
  for (const [monthMs, own] of Map.groupBy(pieces, ({ chunk }) => chunk.monthMs)) {
    const whole = own.filter((piece) => piece.chunk.sealed && hasAll(piece));
    const month = whole.length > 0 ? source.ofMonth(monthMs) : undefined;
    const ofMonth = month && hasEach(whole, month) ? of(month) : undefined;
    if (ofMonth !== undefined) found.push(ofMonth);
    const ready = new Set(whole);
    for (const piece of own) {
      if (ofMonth !== undefined && month?.chunks.has(piece.chunk.number)) continue;
      const aggregates = ready.has(piece) ? source.ofChunk(piece.chunk) : undefined;
      const ofChunk = aggregates && of(aggregates);
      if (ofChunk === undefined) left.push(piece);
      else found.push(ofChunk);
    }
  }
  return { found, left };
}

/** Of the rows of a question; nothing is found for one with filters. */
export function finishedIn<T>(
  site: ReadSite,
  { period, filters }: Selection,
  of: (aggregates: Aggregates) => T | undefined,
): Finished<RowRange, T> {
  const source = filters.length > 0 ? undefined : site.aggregates;
  return finishedOf(source, rangesOf(site, period), isWhole, of);
}

/** Whether the pieces have every chunk that the month's aggregates stand for. */
function hasEach(pieces: readonly Piece[], { chunks }: MonthAggregates): boolean {
  return pieces.filter(({ chunk }) => chunks.has(chunk.number)).length === chunks.size;
}
