/** Totals of a period, of the period before it, and of its calendar intervals. */
import { dimensionIndex } from "../core/dimension.ts";
import type {
  IntervalName,
  IntervalTotals,
  Period,
  Selection,
  Summary,
  SummaryQuery,
  Totals,
} from "../core/query.ts";
import { badInput } from "../core/refusal.ts";
import { firstFrom, rowFlag } from "../store/chunk.ts";
import type { Dictionary } from "../store/dictionary.ts";
import type { Site } from "../store/site.ts";
import { countFlag, Counts } from "./count.ts";
import { Derived } from "./derived.ts";
import { intervalsOf } from "./interval.ts";
import { visitorFlag } from "./list.ts";
import { Durations } from "./quantile.ts";
import { blockRows, wide, type Block } from "./block.ts";
import { selectBlocks } from "./select.ts";
import { tally } from "./tally.ts";
import { Work } from "./work.ts";

/** Intervals are at most 10,000. */
const scratchIds = new Uint16Array(blockRows);
const counts = new Counts();

/** `nowMs`: the end of a period without one. */
export function answerSummary(site: Site, query: SummaryQuery, nowMs: number, work = new Work()): Summary {
  const { period, interval, previous } = query;
  const open = !Number.isFinite(period.startMs) || !Number.isFinite(period.endMs);
  if (previous && open) throw badInput("previous", true, "start and end beside it");
  return {
    current: totals(site, query, work),
    ...(previous && { previous: totals(site, { ...query, period: periodBefore(period) }, work) }),
    ...(interval !== undefined && { interval: intervalTotals(site, query, interval, nowMs, work) }),
  };
}

/** Unique visitors of a period. */
export function visitorsIn(site: Site, period: Period): number {
  let visitors = 0;
  for (const block of selectBlocks(site, { period, filters: [] }, new Work(new Derived(0))))
    visitors += countFlag(block, rowFlag.unique);
  return visitors;
}

function periodBefore({ startMs, endMs }: Period): Period {
  return { startMs: startMs - 1 - (endMs - startMs), endMs: startMs - 1 };
}

/** From the first hit of the website, if there is no start, to now, if there is no end. */
function closed(site: Site, { startMs, endMs }: Period, nowMs: number): Period {
  const firstMs = () => site.chunks.values().reduce((first, { minMs }) => Math.min(first, minMs), Infinity);
  return {
    startMs: Number.isFinite(startMs) ? startMs : firstMs(),
    endMs: Number.isFinite(endMs) ? endMs : nowMs,
  };
}

/** A row after the end of a period that has none, which a clock that was set can leave, is in no interval. */
function intervalTotals(
  site: Site,
  query: SummaryQuery,
  interval: IntervalName,
  nowMs: number,
  work: Work,
): IntervalTotals[] {
  const period = closed(site, query.period, nowMs);
  const intervals = intervalsOf(interval, query.timezone, period);
  if (intervals.length === 0) return [];
  const startsMs = intervals.map(({ startMs }) => startMs);
  const each = stretchTotals(site, { ...query, period }, startsMs, work);
  return intervals.map(({ date }, index) => ({ date, ...(each[index] as Totals) }));
}

function totals(site: Site, query: Selection, work: Work): Totals {
  // Everything is one group; clients are counted one by one first, so that fewer rows in a row write to one cell.
  const dimension = dimensionIndex.device;
  const ofValue = new Uint32Array((site.dictionaries[dimension] as Dictionary).size);
  const ids = site.tuples.client.size;
  const ofColumn = new Uint32Array(ids);
  const visitor = visitorFlag(query.filters);
  tally(counts, site, query, { dimension, groups: 1, ofValue, ofColumn, ids, visitor }, work);
  const durations = new Durations(Uint32Array.of(counts.known(0)));
  for (const block of selectBlocks(site, query, work)) durations.add(block);
  return totalsOf(0, durations);
}

/** The totals of the stretches that begin at `startsMs`, which rise; the last ends with the period. */
function stretchTotals(site: Site, query: Selection, startsMs: readonly number[], work: Work): Totals[] {
  const groups = startsMs.length;
  const groupOf = Uint32Array.from(startsMs, (_, group) => group);
  counts.begin(groups, groupOf, groups, visitorFlag(query.filters));
  for (const block of selectBlocks(site, query, work)) counts.add(block, stretches(block, startsMs));
  counts.end();
  const durations = new Durations(groupOf.map((group) => counts.known(group)));
  for (const block of selectBlocks(site, query, work)) durations.add(block, wide(stretches(block, startsMs)));
  return Array.from(groupOf, (group) => totalsOf(group, durations));
}

function totalsOf(group: number, durations: Durations): Totals {
  return {
    visitors: counts.visitors(group),
    pageviews: counts.pageviews(group),
    bounce_percentage: counts.bounce(group),
    duration: durations.quantiles(group, [0.5])[0] as number,
  };
}

/** For each selected row of a block the stretch that it is in. */
function stretches(block: Block, startsMs: readonly number[]): Uint16Array {
  return block.dense && block.chunk.sorted
    ? denseStretches(block, startsMs)
    : listedStretches(block, startsMs);
}

/** Rows in the order of their time: a stretch is a range of them. */
function denseStretches({ chunk, start, count }: Block, startsMs: readonly number[]): Uint16Array {
  const last = startsMs.length - 1;
  const end = start + count;
  let row = start;
  for (let stretch = stretchOf(timeOf(chunk, start), startsMs); row < end; stretch++) {
    const next = stretch === last ? end : firstFrom(chunk, startsMs[stretch + 1] as number, row, end);
    scratchIds.fill(stretch, row - start, next - start);
    row = next;
  }
  return scratchIds;
}

function listedStretches({ chunk, start, rows, count }: Block, startsMs: readonly number[]): Uint16Array {
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchIds[row] = stretchOf(timeOf(chunk, start + row), startsMs);
  }
  return scratchIds;
}

function timeOf({ time, monthMs }: Block["chunk"], row: number): number {
  return (time[row] as number) + monthMs;
}

/** The last stretch that begins at `ms` or before. */
function stretchOf(ms: number, startsMs: readonly number[]): number {
  let low = 0;
  let high = startsMs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((startsMs[middle] as number) <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}
