/**
 * Goes through page views in the order of time, or against it. A chunk that is over before the next one begins, and whose
 * rows are sorted, as those in files are, is read where it lies. Page views of chunks that overlap, or are not sorted, are
 * put in order first: those of some visits, at most of one month, 12 bytes each. Those of the same time come in the order
 * of the chunks.
 */
import type { Period } from "../../core/query.ts";
import { firstThat } from "../../lib/search.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { pathDictionary } from "../../store/values/path-dictionary.ts";
import type { QueryContext } from "../cache/context.ts";
import { blockRows, selectedFlags, selectedIds, selectedVisits } from "./block.ts";
import { inTimeOrder, MomentList } from "./in-time-order.ts";
import { pageViewsOf } from "./page-views.ts";
import { rangeOf } from "./range.ts";
import { chunksIn } from "./selected-visits.ts";
import type { VisitSet } from "./visit-numbers.ts";

/** Rows as columns, the earliest first. Some may be of other visits, or no page views. */
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
  /** The visits whose page views have to be there. */
  readonly visits: VisitSet;
  readonly period: Period;
  /** Rows at most this far from the period are there, too. */
  readonly aroundMs: number;
  readonly isBackwards: boolean;
  readonly take: (rows: TimedRows) => void;
}

/** Throws Cancelled. */
export function walkByTime(site: ReadSite, walk: TimedWalk, context: QueryContext): void {
  const chunks = chunksIn(site, { period: spanOf(walk) });
  for (const group of inOrder(walk, overlapping(chunks))) {
    context.throwIfCancelled();
    const [chunk] = group as [Chunk];
    if (group.length === 1 && chunk.sorted) walkRows(chunk, walk, context);
    else walkMoments(site, chunk.monthMs, new Set(group), walk, context);
  }
}

/**
 * Returns the chunks in groups, by time: each begins after the one before is over, or with its last millisecond if its
 * chunks come later. Chunks of two months never overlap.
 */
function overlapping(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [];
  let [lastMs, lastAt] = [-Infinity, -1];
  const placed = chunks.map((chunk, at) => ({ chunk, at }));
  for (const { chunk, at } of placed.sort((a, b) => a.chunk.minMs - b.chunk.minMs)) {
    if (chunk.minMs > lastMs || (chunk.minMs === lastMs && at > lastAt)) groups.push([]);
    groups.at(-1)!.push(chunk);
    [lastMs, lastAt] = [Math.max(lastMs, chunk.maxMs), Math.max(lastAt, at)];
  }
  return groups;
}

/** Goes through the rows of a chunk that is sorted. */
function walkRows(chunk: Chunk, walk: TimedWalk, context: QueryContext): void {
  const { from: start, to: stop } = rangeOf(chunk, spanOf(walk));
  const { from, to } = rangeOf(chunk, walk.period);
  context.rowsRead += stop - start;
  for (const part of partsOf(walk, [start, from, to, stop])) {
    const blocks = Array.from({ length: Math.ceil((part.to - part.from) / blockRows) }, (_, at) => at);
    for (const at of inOrder(walk, blocks)) {
      const start = part.from + at * blockRows;
      const count = Math.min(blockRows, part.to - start);
      const block = { chunk, start, rows: noRows, count, dense: true };
      const [visits, paths, flags] = [
        selectedVisits(block),
        selectedIds(block, "path"),
        selectedFlags(block),
      ];
      walk.take({ visits, paths, flags, count, isIn: part.isIn });
    }
  }
}

/** Puts the page views of chunks of one month in order, and goes through them. */
function walkMoments(
  site: ReadSite,
  monthMs: number,
  chunks: ReadonlySet<Chunk>,
  walk: TimedWalk,
  context: QueryContext,
): void {
  const numbers = Uint32Array.from({ length: pathDictionary(site).size }, (_, path) => path + 1);
  const list = new MomentList();
  const selection = { period: spanOf(walk), filters: [] };
  const sources = pageViewsOf(site, selection, walk.visits, numbers, context);
  const own = sources.filter(({ chunk }) => chunks.has(chunk));
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

const noRows = new Uint32Array(0);
