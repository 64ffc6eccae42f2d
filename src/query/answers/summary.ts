/** Answers the totals of a period, of the period before it, and of its calendar intervals. */
import type { IntervalName, Period, Selection, Summary, SummaryQuery, Totals } from "../../core/query.ts";
import { badInput } from "../../core/refusal.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { selectedFlags } from "../rows/block.ts";
import { QueryCache } from "../cache/cache.ts";
import { QueryContext } from "../cache/context.ts";
import { countVisitors } from "../counts/count.ts";
import { intervalsOf } from "../calendar/interval.ts";
import { visitSelected } from "../rows/select.ts";
import { spanTotals, type SpanTotals } from "../counts/span-totals.ts";

/** `nowMs`: the end to use for a period that has none. */
export function answerSummary(
  site: SiteWithFacts,
  query: SummaryQuery,
  nowMs: number,
  context = new QueryContext(),
): Summary {
  const { period, interval, previous } = query;
  const isClosed = Number.isFinite(period.startMs) && Number.isFinite(period.endMs);
  if (previous && !isClosed) throw badInput("previous", true, "start and end beside it");
  const chart = interval && intervalTotals(site, query, interval, nowMs, context);
  // If the period has a start and an end, its intervals cover all of it.
  const all = isClosed ? chart?.all : undefined;
  return {
    current: all ?? totals(site, query, context),
    ...(previous && { previous: totals(site, { ...query, period: periodBefore(period) }, context) }),
    ...(chart && { interval: chart.dates.map((date, at) => ({ date, ...(chart.spans[at] as Totals) })) }),
  };
}

/** Returns the number of unique visitors of a period. */
export function visitorsIn(site: ReadSite, period: Period): number {
  let visitors = 0;
  const context = new QueryContext(new QueryCache(0));
  visitSelected(site, { period, filters: [] }, context, (block) => {
    visitors += countVisitors(selectedFlags(block), block.count, rowFlag.unique);
  });
  return visitors;
}

function periodBefore({ startMs, endMs }: Period): Period {
  return { startMs: startMs - 1 - (endMs - startMs), endMs: startMs - 1 };
}

function totals(site: SiteWithFacts, query: Selection, context: QueryContext): Totals {
  const { startMs, endMs } = query.period;
  const { spans } = spanTotals(site, query, [startMs, endMs + 1], context);
  return spans[0] as Totals;
}

/**
 * Returns the totals of each interval. A clock that was set may leave rows in the future: if the period has no end,
 * they are in no interval.
 */
function intervalTotals(
  site: SiteWithFacts,
  { period: asked, filters, timezone }: SummaryQuery,
  interval: IntervalName,
  nowMs: number,
  context: QueryContext,
): SpanTotals & { readonly dates: readonly string[] } {
  const period = closed(site, asked, nowMs);
  const intervals = intervalsOf(interval, timezone, period);
  const dates = intervals.map(({ date }) => date);
  if (intervals.length === 0) return { dates, spans: [], all: undefined };
  const starts = intervals.slice(1).map(({ startMs }) => startMs);
  const edgesMs = [period.startMs, ...starts, period.endMs + 1];
  return { dates, ...spanTotals(site, { period, filters }, edgesMs, context) };
}

/** Returns the period with a missing start replaced by the website's first hit, and a missing end by now. */
function closed(site: ReadSite, { startMs, endMs }: Period, nowMs: number): Period {
  const firstMs = () => site.chunks.values().reduce((first, { minMs }) => Math.min(first, minMs), Infinity);
  return {
    startMs: Number.isFinite(startMs) ? startMs : firstMs(),
    endMs: Number.isFinite(endMs) ? endMs : nowMs,
  };
}
