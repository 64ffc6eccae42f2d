/** What a period has of each chunk, as ranges of rows. */
import { pageViewOpenMs } from "../core/hit.ts";
import type { Period } from "../core/query.ts";
import { firstFrom, type Chunk } from "../store/chunk.ts";
import type { Site } from "../store/site.ts";

/** Rows of a chunk from `from` up to `to`; where they are in no order of time, those of them in `period`. */
export interface RowRange {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
  readonly period: Period | undefined;
  /** An unload may still come for a row. It is a guess from the website's newest row: a wrong one costs time only. */
  readonly takesHits: boolean;
}

export function* rangesOf(site: Site, period: Period): Generator<RowRange> {
  const newestMs = site.chunks.values().reduce((newest, { maxMs }) => Math.max(newest, maxMs), -Infinity);
  for (const chunk of site.chunks.values()) {
    if (chunk.maxMs < period.startMs || chunk.minMs > period.endMs) continue;
    const whole = chunk.minMs >= period.startMs && chunk.maxMs <= period.endMs;
    const [from, to] = whole || !chunk.sorted ? [0, chunk.rows] : sortedRange(chunk, period);
    const takesHits = newestMs - chunk.maxMs <= pageViewOpenMs;
    yield { chunk, from, to, period: whole || chunk.sorted ? undefined : period, takesHits };
  }
}

function sortedRange(chunk: Chunk, { startMs, endMs }: Period): [from: number, to: number] {
  return [firstFrom(chunk, startMs, 0, chunk.rows), firstFrom(chunk, endMs + 1, 0, chunk.rows)];
}
