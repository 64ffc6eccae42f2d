/**
 * Totals of the calendar intervals of a period: from finished quarters of an hour, and from rows. Those of whole days,
 * weeks and months are kept until a row in them changes, so that a chart that is asked again counts only what is new.
 */
import type {
  Filter,
  IntervalName,
  IntervalTotals,
  Period,
  Selection,
  SummaryQuery,
  Totals,
} from "../core/query.ts";
import type { Chunk } from "../store/chunk.ts";
import { firstFrom } from "../store/first-from.ts";
import type { ReadSite } from "../store/read-site.ts";
import { sortDurations } from "../store/sorted-durations.ts";
import { blockRows, wide, type Block } from "./block.ts";
import { counts } from "./count.ts";
import { quantilesOf, type Span } from "./duration-quantiles.ts";
import { finishedQuarters } from "./finished-quarters.ts";
import { intervalsOf } from "./interval.ts";
import { visitorFlag } from "./list.ts";
import { keyOf } from "./mask.ts";
import { Durations, interpolated } from "./quantile.ts";
import { totalsOf } from "./row.ts";
import { blocksOf } from "./select.ts";
import type { Work } from "./work.ts";

/** Of the others a chart has too many, over too short a time, to be worth it. */
const kept: ReadonlySet<IntervalName> = new Set(["day", "week", "month"]);
/** Four numbers and the object around them. */
const totalsBytes = 64;

/** Intervals are at most 10,000. */
const scratchIds = new Uint16Array(blockRows);

/** Where the totals of an interval are kept. */
interface Slot {
  readonly key: string;
  readonly version: number;
}

/** A row after the end of a period that has none, which a clock that was set can leave, is in no interval. */
export function intervalTotals(
  site: ReadSite,
  query: SummaryQuery,
  interval: IntervalName,
  nowMs: number,
  work: Work,
): IntervalTotals[] {
  const { filters, timezone } = query;
  const period = closed(site, query.period, nowMs);
  const intervals = intervalsOf(interval, timezone, period);
  const startsMs = intervals.map(({ startMs }) => startMs);
  const slots = kept.has(interval) ? slotsOf(site, filters, period, startsMs) : [];
  const each = startsMs.map((_, index) => {
    const slot = slots[index];
    return slot && work.derived.find<Totals>(site, slot.version, slot.key);
  });
  for (let first = each.indexOf(undefined); first >= 0; first = each.indexOf(undefined)) {
    const known = each.findIndex((own, index) => index > first && own !== undefined);
    const end = known < 0 ? each.length : known;
    const startMs = Math.max(period.startMs, startsMs[first] as number);
    const endMs = end < each.length ? (startsMs[end] as number) - 1 : period.endMs;
    const counted = { filters, period: { startMs, endMs } };
    for (const [at, own] of stretchTotals(site, counted, startsMs.slice(first, end), work).entries()) {
      each[first + at] = own;
      const slot = slots[first + at];
      if (slot !== undefined) work.derived.keep(site, slot.version, slot.key, own, totalsBytes);
    }
  }
  return intervals.map(({ date }, index) => ({ date, ...(each[index] as Totals) }));
}

/** undefined for the first interval if it begins before the period, and for the last, whose end is not known here. */
function slotsOf(
  site: ReadSite,
  filters: readonly Filter[],
  period: Period,
  startsMs: readonly number[],
): (Slot | undefined)[] {
  const filtersKey = keyOf(filters);
  const chunks = [...site.chunks.values()];
  return startsMs.map((startMs, index) => {
    const nextMs = startsMs[index + 1];
    if (nextMs === undefined || startMs < period.startMs) return undefined;
    const version = versionOf(chunks, { startMs, endMs: nextMs - 1 });
    return { key: `totals ${startMs} ${nextMs} ${filtersKey}`, version };
  });
}

/** A number that rises with every change to a row of the period. */
function versionOf(chunks: readonly Chunk[], { startMs, endMs }: Period): number {
  let version = 0;
  for (const chunk of chunks)
    if (chunk.maxMs >= startMs && chunk.minMs <= endMs) version += 1 + chunk.version;
  return version;
}

/** From the first hit of the website, if there is no start, to now, if there is no end. */
function closed(site: ReadSite, { startMs, endMs }: Period, nowMs: number): Period {
  const firstMs = () => site.chunks.values().reduce((first, { minMs }) => Math.min(first, minMs), Infinity);
  return {
    startMs: Number.isFinite(startMs) ? startMs : firstMs(),
    endMs: Number.isFinite(endMs) ? endMs : nowMs,
  };
}

/** The totals of the stretches that begin at `startsMs`, which rise; the last ends with the period. */
function stretchTotals(site: ReadSite, query: Selection, startsMs: readonly number[], work: Work): Totals[] {
  const { period, filters } = query;
  const edgesMs = [period.startMs, ...startsMs.slice(1), period.endMs + 1];
  const { totals, ranges } = finishedQuarters(site, query, edgesMs);
  const groups = startsMs.length;
  const groupOf = Uint32Array.from(startsMs, (_, group) => group);
  counts.begin(groups, groupOf, groups, visitorFlag(filters));
  for (const block of blocksOf(site, ranges(), filters, work)) counts.add(block, stretches(block, startsMs));
  counts.end();
  const durations = new Durations(groupOf.map((group) => counts.known(group)));
  for (const block of blocksOf(site, ranges(), filters, work))
    durations.add(block, wide(stretches(block, startsMs), block));
  const spans = new Map<number, Span[]>();
  for (const { stretch, rows, durations: span } of totals) {
    counts.addClasses(stretch, rows);
    spans.getOrInsertComputed(stretch, () => []).push(span);
  }
  work.entriesAdded += totals.length;
  return Array.from(groupOf, (group) => {
    work.goOn();
    return totalsOf(counts.of(group), medianOf(durations.sorted(group), spans.get(group)));
  });
}

/** Of durations that are sorted, and those of `spans`. */
function medianOf(sorted: Uint32Array, spans: readonly Span[] | undefined): number {
  const [median] =
    spans === undefined
      ? interpolated(sorted.length, [0.5], (rank) => sorted[rank] as number)
      : quantilesOf(sorted.length === 0 ? [] : [sortDurations(sorted)], spans, [0.5]);
  return median as number;
}

/** For each selected row of a block the stretch that it is in. */
function stretches(block: Block, startsMs: readonly number[]): Uint16Array {
  if (!block.chunk.sorted) return listedStretches(block, startsMs);
  return block.dense ? denseStretches(block, startsMs) : risingStretches(block, startsMs);
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

/** Some rows in the order of their time: each is in the stretch of the one before it, or soon after. */
function risingStretches({ chunk, start, rows, count }: Block, startsMs: readonly number[]): Uint16Array {
  const { time, monthMs } = chunk;
  let stretch = stretchOf(timeOf(chunk, start + (rows[0] as number)), startsMs);
  let next = (startsMs[stretch + 1] ?? Infinity) - monthMs;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const ms = time[start + row] as number;
    while (ms >= next) next = (startsMs[++stretch + 1] ?? Infinity) - monthMs;
    scratchIds[row] = stretch;
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
