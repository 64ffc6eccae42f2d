/** What a period has of each chunk, as ranges of rows. */
import { pageViewOpenMs } from "../core/hit.ts";
import type { Period } from "../core/query.ts";
import type { Chunk } from "../store/chunk.ts";
import { firstFrom } from "../store/first-from.ts";
import type { ReadSite } from "../store/read-site.ts";

/** Rows of a chunk from `from` up to `to`; where they are in no order of time, those of them in `period`. */
export interface RowRange {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
  readonly period: Period | undefined;
  readonly takesHits: boolean;
}

export function* rangesOf(site: ReadSite, period: Period): Generator<RowRange> {
  const newestMs = newestMsOf(site);
  for (const chunk of site.chunks.values()) {
    if (chunk.maxMs < period.startMs || chunk.minMs > period.endMs) continue;
    const whole = chunk.minMs >= period.startMs && chunk.maxMs <= period.endMs;
    const [from, to] = whole || !chunk.sorted ? [0, chunk.rows] : sortedRange(chunk, period);
    const rowPeriod = whole || chunk.sorted ? undefined : period;
    yield { chunk, from, to, period: rowPeriod, takesHits: takesHits(chunk, newestMs) };
  }
}

/** The time of the website's newest row. */
export function newestMsOf(site: ReadSite): number {
  return site.chunks.values().reduce((newest, { maxMs }) => Math.max(newest, maxMs), -Infinity);
}

/** Whether an unload may still come for a row. It is a guess from the newest row: a wrong one costs time only. */
export function takesHits({ maxMs }: Chunk, newestMs: number): boolean {
  return newestMs - maxMs <= pageViewOpenMs;
}

export function isWhole({ chunk, from, to, period }: RowRange): boolean {
  return from === 0 && to === chunk.rows && period === undefined;
}

function sortedRange(chunk: Chunk, { startMs, endMs }: Period): [from: number, to: number] {
  return [firstFrom(chunk, startMs, 0, chunk.rows), firstFrom(chunk, endMs + 1, 0, chunk.rows)];
}
