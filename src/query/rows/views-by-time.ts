/**
 * Goes through page views of some visits in the order of time, or against it. Where only one chunk has rows for a while,
 * and they are sorted, as those in files are, they are read where they lie. Where rows of several chunks overlap, or are
 * not sorted, their page views are put in order first: at most those of one month, 12 bytes each. Those of the same time
 * come in the order of the chunks.
 */
import type { Period } from "../../core/questions/query.ts";
import { once } from "../../lib/lazy.ts";
import { firstThat } from "../../lib/search.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";
import type { QueryContext } from "../cache/context.ts";
import { blockRows, allRows, keepVisits, selectedFlags, selectedIds, selectedVisits } from "./block.ts";
import { inTimeOrder, MomentList } from "./in-time-order.ts";
import { pageViewsOf } from "./page-views.ts";
import { rangeOf, touches } from "./range.ts";
import { chunksIn } from "./selected-visits.ts";
import type { VisitSet } from "./visit-numbers.ts";

/** Rows of these visits as columns, the earliest first. Some may be no page views. */
export interface TimedRows {
  readonly visits: Uint32Array;
  /** The ids of their paths. */
  readonly paths: Uint32Array;
  readonly flags: Uint8Array;
  readonly count: number;
  /** 1 for rows of the period, 0 for those around it. */
  readonly isIn: 0 | 1;
}

/** `take` receives rows, which are only valid until it returns. Against time, it receives the latest first. */
export interface TimedWalk {
  readonly visits: VisitSet;
  readonly period: Period;
  /** Rows at most this far from the period are there, too. */
  readonly aroundMs: number;
  readonly isBackwards: boolean;
  readonly take: (rows: TimedRows) => void;
}

/** Some time, and the chunks that have rows then. Unless it is one sorted chunk, these have to be put in order. */
interface Interval {
  readonly chunks: readonly Chunk[];
  readonly period: Period;
}

/** Throws Cancelled. */
export function walkByTime(walk: TimedWalk, context: QueryContext): void {
  const { site } = context;
  const span = spanOf(walk);
  const numbers = once(() => Uint32Array.from({ length: pathDictionary(site).size }, (_, path) => path + 1));
  for (const interval of inOrder(walk, intervalsOf(chunksIn(site, { period: span }), span))) {
    context.throwIfCancelled();
    if (isInOrder(interval)) walkRows(interval, walk, context);
    else walkMoments(interval, numbers(), walk, context);
  }
}

/**
 * Divides the time of the span into intervals. A chunk may have rows before and after those of others: what is put
 * together at the end of a month may be its first rows and its last. So an interval ends where a chunk begins or ends.
 */
function intervalsOf(chunks: readonly Chunk[], { startMs, endMs }: Period): Interval[] {
  const edgesMs = new Set<number>();
  for (const { minMs, maxMs } of chunks)
    edgesMs.add(Math.max(minMs, startMs)).add(Math.min(maxMs, endMs) + 1);
  const sorted = [...edgesMs].sort((a, b) => a - b);
  const intervals: Interval[] = [];
  for (let at = 1; at < sorted.length; at++) {
    const period = { startMs: sorted[at - 1]!, endMs: sorted[at]! - 1 };
    const own = chunks.filter((chunk) => hasRows(chunk, period));
    if (own.length > 0) addInterval(intervals, { chunks: own, period });
  }
  return intervals;
}

/** Adds the next interval, as part of the last one if both are of one chunk, or both of one month have to be put in order. */
function addInterval(intervals: Interval[], { chunks, period }: Interval): void {
  const last = intervals.at(-1);
  const isSame = last?.chunks.length === 1 && chunks.length === 1 && last.chunks[0] === chunks[0];
  const isAlike = last !== undefined && !isInOrder(last) && !isInOrder({ chunks, period });
  if (!isSame && !(isAlike && last.chunks[0]!.monthMs === chunks[0]!.monthMs))
    intervals.push({ chunks, period });
  else {
    const { startMs } = last.period;
    const all = [...new Set([...last.chunks, ...chunks])];
    intervals[intervals.length - 1] = { chunks: all, period: { startMs, endMs: period.endMs } };
  }
}

function isInOrder({ chunks }: Interval): boolean {
  return chunks.length === 1 && chunks[0]!.sorted;
}

/** Returns whether a chunk has rows in a period; true for one that is not sorted and may have some. */
function hasRows(chunk: Chunk, period: Period): boolean {
  if (!touches(chunk, period)) return false;
  const { from, to } = rangeOf(chunk, period);
  return from < to;
}

/** Goes through the rows of the only chunk of an interval, which is sorted. */
function walkRows({ chunks: [chunk], period }: Interval, walk: TimedWalk, context: QueryContext): void {
  const { from: start, to: stop } = rangeOf(chunk!, period);
  const within = rangeOf(chunk!, walk.period);
  const [from, to] = [within.from, within.to].map((row) => Math.min(Math.max(row, start), stop));
  context.rowsRead += stop - start;
  for (const part of partsOf(walk, [start, from!, to!, stop])) {
    const blocks = Array.from({ length: Math.ceil((part.to - part.from) / blockRows) }, (_, at) => at);
    for (const at of inOrder(walk, blocks)) {
      const start = part.from + at * blockRows;
      const count = Math.min(blockRows, part.to - start);
      const whole = { chunk: chunk!, start, rows: allRows, count, dense: true };
      const block = keepVisits(whole, walk.visits);
      const [visits, paths, flags] = [
        selectedVisits(block),
        selectedIds(block, "path"),
        selectedFlags(block),
      ];
      walk.take({ visits, paths, flags, count: block.count, isIn: part.isIn });
    }
  }
}

/**
 * Puts the page views of chunks of one month in order, and goes through them. `numbers`: by path, one more than its id,
 * because 0 stands for paths that are left out.
 */
function walkMoments(
  { chunks, period }: Interval,
  numbers: Uint32Array,
  walk: TimedWalk,
  context: QueryContext,
): void {
  const { monthMs } = chunks[0]!;
  const list = new MomentList();
  const sources = pageViewsOf({ period, filters: [] }, walk.visits, numbers, context);
  const own = sources.filter(({ chunk }) => chunks.includes(chunk));
  // Each chunk is put in order for itself, if it is not, which is a lot faster than all of them together.
  inTimeOrder(own, ({ times, visits, values }, from, to) => {
    for (let at = from; at < to; at++) list.add(times[at]!, visits[at]!, values[at]!);
  });
  const { times, visits, values, count } = list.sorted(monthMs);
  const { startMs, endMs } = walk.period;
  const from = firstThat(0, count, (at) => monthMs + times[at]! >= startMs);
  const to = firstThat(from, count, (at) => monthMs + times[at]! > endMs);
  for (const part of partsOf(walk, [0, from, to, count]))
    walk.take({
      visits: visits.subarray(part.from, part.to),
      paths: values.subarray(part.from, part.to).map((number) => number - 1),
      flags: new Uint8Array(part.to - part.from),
      count: part.to - part.from,
      isIn: part.isIn,
    });
}

/** Returns the three parts of rows before, in and after the period. `edges`: where they begin, and the end of the last. */
function partsOf(walk: TimedWalk, edges: readonly [number, number, number, number]) {
  const [start, from, to, stop] = edges;
  return inOrder(walk, [
    { from: start, to: from, isIn: 0 as const },
    { from, to, isIn: 1 as const },
    { from: to, to: stop, isIn: 0 as const },
  ]);
}

function inOrder<T>({ isBackwards }: TimedWalk, list: readonly T[]): readonly T[] {
  return isBackwards ? list.toReversed() : list;
}

function spanOf({ period: { startMs, endMs }, aroundMs }: TimedWalk): Period {
  return { startMs: startMs - aroundMs, endMs: endMs + aroundMs };
}
