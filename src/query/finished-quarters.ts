/**
 * What stretches of time have of finished quarters of an hour. Those of rows that are in no such quarter, and of the
 * quarters that a stretch begins or ends in, are read.
 */
import type { Period, Selection } from "../core/query.ts";
import type { Aggregates } from "../store/aggregates.ts";
import type { Chunk } from "../store/chunk.ts";
import { knownBefore, placeOf, quarterMs } from "../store/quarters.ts";
import type { ReadSite } from "../store/read-site.ts";
import { pageViewClasses } from "../store/row-class.ts";
import type { Wavelet } from "../store/wavelet.ts";
import type { Span } from "./duration-quantiles.ts";
import { finishedOf } from "./finished.ts";
import { rangesOf, type RowRange } from "./range.ts";

/** What one stretch has of the quarters of a chunk or month. */
export interface QuarterTotals {
  readonly stretch: number;
  /** The rows in each of the `pageViewClasses` classes. */
  readonly rows: Uint32Array;
  readonly durations: Span;
}

export interface FinishedQuarters {
  readonly totals: readonly QuarterTotals[];
  /** Of these the rows are to be read. */
  readonly ranges: () => Iterable<RowRange>;
}

/** `edgesMs`: where each stretch begins and the last one ends; the first and the last edge are those of the period. */
export function finishedQuarters(
  site: ReadSite,
  { period, filters }: Selection,
  edgesMs: readonly number[],
): FinishedQuarters {
  const source = filters.length > 0 ? undefined : site.aggregates;
  const { found, left } = finishedOf(
    source,
    piecesOf(site, period),
    () => true,
    (aggregates) => aggregates,
  );
  if (found.length === 0) return { totals: [], ranges: () => rangesOf(site, period) };
  const unfinished = new Set(left.map(({ chunk }) => chunk));
  const rests = restsOf(edgesMs).filter((rest) => site.chunks.values().some((chunk) => touches(chunk, rest)));
  return {
    totals: found.flatMap((aggregates) => [...totalsIn(aggregates, edgesMs)]),
    ranges: () => leftRanges(site, period, unfinished, rests),
  };
}

/** All chunks of the months that have some of the period: a month's quarters are those of all of them. */
function piecesOf(site: ReadSite, period: Period): { readonly chunk: Chunk }[] {
  const chunks = [...site.chunks.values()];
  const months = new Set(chunks.filter((chunk) => touches(chunk, period)).map(({ monthMs }) => monthMs));
  return chunks.filter(({ monthMs }) => months.has(monthMs)).map((chunk) => ({ chunk }));
}

function touches({ minMs, maxMs }: Chunk, { startMs, endMs }: Period): boolean {
  return minMs <= endMs && maxMs >= startMs;
}

function* leftRanges(
  site: ReadSite,
  period: Period,
  unfinished: ReadonlySet<Chunk>,
  rests: readonly Period[],
): Generator<RowRange> {
  for (const range of rangesOf(site, period)) if (unfinished.has(range.chunk)) yield range;
  for (const rest of rests)
    for (const range of rangesOf(site, rest)) if (!unfinished.has(range.chunk)) yield range;
}

/** The quarters that a stretch has whole: from the one with the number `from` up to `to`. */
function wholeQuarters(startMs: number, endMs: number): { from: number; to: number } {
  return { from: Math.ceil(startMs / quarterMs), to: Math.floor(endMs / quarterMs) };
}

/** What stretches have besides whole quarters, in the order of time; what meets is one. */
function restsOf(edgesMs: readonly number[]): Period[] {
  const rests: { startMs: number; endMs: number }[] = [];
  const add = (startMs: number, endMs: number) => {
    const last = rests.at(-1);
    if (startMs >= endMs) return;
    if (last?.endMs === startMs - 1) last.endMs = endMs - 1;
    else rests.push({ startMs, endMs: endMs - 1 });
  };
  for (let stretch = 0; stretch < edgesMs.length - 1; stretch++) {
    const startMs = edgesMs[stretch] as number;
    const endMs = edgesMs[stretch + 1] as number;
    const { from, to } = wholeQuarters(startMs, endMs);
    if (from >= to) add(startMs, endMs);
    else {
      add(startMs, from * quarterMs);
      add(to * quarterMs, endMs);
    }
  }
  return rests;
}

function* totalsIn(aggregates: Aggregates, edgesMs: readonly number[]): Generator<QuarterTotals> {
  const quarters = aggregates.quarters();
  const { numbers, counts } = quarters;
  const [firstNumber, lastNumber] = [numbers[0], numbers.at(-1)];
  if (firstNumber === undefined || lastNumber === undefined) return;
  let wavelet: Wavelet | undefined;
  const first = lastEdge(edgesMs, firstNumber * quarterMs);
  for (let stretch = first; stretch < edgesMs.length - 1; stretch++) {
    const startMs = edgesMs[stretch] as number;
    if (startMs > lastNumber * quarterMs) return;
    const { from, to } = wholeQuarters(startMs, edgesMs[stretch + 1] as number);
    const place = placeOf(quarters, from);
    const end = placeOf(quarters, Math.max(from, to));
    if (place === end) continue;
    const rows = new Uint32Array(pageViewClasses);
    for (let kind = 0; kind < pageViewClasses; kind++)
      rows[kind] =
        (counts[end * pageViewClasses + kind] as number) - (counts[place * pageViewClasses + kind] as number);
    wavelet ??= aggregates.durations();
    const durations = { wavelet, from: knownBefore(quarters, place), to: knownBefore(quarters, end) };
    yield { stretch, rows, durations };
  }
}

/** The last that is not after `ms`; the first if there is none. */
function lastEdge(edgesMs: readonly number[], ms: number): number {
  let [low, high] = [0, edgesMs.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((edgesMs[middle] as number) <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}
