/** Answers the totals of a period, of the period before it, and of its calendar intervals. */
import type { Summary, Totals } from "../../core/questions/answer.ts";
import {
  isClosed,
  periodBefore,
  type IntervalName,
  type Period,
  type SummaryQuery,
} from "../../core/questions/query.ts";
import { badInput } from "../../core/refusal.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { blockRows, type GroupsOf } from "../rows/block.ts";
import { QueryContext } from "../cache/context.ts";
import { countVisitors } from "../counts/count.ts";
import { figuresOf } from "../counts/row.ts";
import { intervalsOf } from "../calendar/interval.ts";
import { visitSelected } from "../rows/select.ts";
import { spanTotals, visitRuns, type SpanMeasures } from "../counts/span-totals.ts";
import { SpanRows } from "../visits/span-rows.ts";
import { SpanAmounts } from "../visits/span-amounts.ts";
import { noVisits, VisitCounts, visitNeeds, type VisitMeasures } from "../visits/visit-counts.ts";
import { groupsOfSpans } from "../visits/visit-ends.ts";

export function answerSummary(
  query: SummaryQuery & { readonly nowMs: number },
  context: QueryContext,
): Summary {
  const { period, interval, previous, nowMs } = query;
  const before = previous ? periodBefore(period) : query.compare;
  if (previous && !isClosed(period)) throw badInput("previous", true, "start and end beside it");
  const chart = interval && intervalTotals(query, interval, nowMs, context);
  return {
    current: chart?.all ?? totals(query, context),
    ...(before && { previous: totals({ ...query, period: before }, context) }),
    ...(chart && { interval: chart.dates.map((date, at) => ({ date, ...chart.spans[at]! })) }),
    ...recordedFrom(context.site, query),
  };
}

/**
 * Says when the first hit came, if the period or the one that is compared with begins earlier, and any hit came by the end of
 * either. A summary that asks for neither metrics by name nor a comparison has the fields of the interface.
 */
function recordedFrom(
  site: ReadSite,
  { period, compare, metrics }: SummaryQuery,
): Pick<Summary, "recorded_from"> {
  if (compare === undefined && metrics === undefined) return {};
  const periods = [period, ...(compare ? [compare] : [])];
  const firstMs = firstHitMs(site);
  const isLate = periods.some(({ startMs }) => Number.isFinite(startMs) && startMs < firstMs);
  const hasCome = Number.isFinite(firstMs) && periods.some(({ endMs }) => firstMs <= endMs);
  return isLate && hasCome ? { recorded_from: new Date(firstMs).toISOString() } : {};
}

/** Returns the number of unique visitors of a period. */
export function visitorsIn(site: ReadSite, period: Period): number {
  let visitors = 0;
  const context = new QueryContext(site);
  visitSelected({ period, filters: [] }, context, (block) => {
    visitors += countVisitors(block, rowFlag.unique);
  });
  return visitors;
}

function totals(query: SummaryQuery, context: QueryContext): Totals {
  const { startMs, endMs } = query.period;
  return spansOf(query, [startMs, endMs + 1], context, false).spans[0]!;
}

interface Spans {
  readonly spans: readonly Totals[];
  /** The totals of all spans together; undefined if they are not asked for, or have to be computed on their own. */
  readonly all: Totals | undefined;
}

/** Returns the totals of spans of the period, of visits too if they are asked for. */
function spansOf(
  query: SummaryQuery,
  edgesMs: readonly number[],
  context: QueryContext,
  hasAll: boolean,
): Spans {
  const hasMedians = query.metrics?.includes("time_median") ?? true;
  const asked = visitNeeds(query, false);
  // Amounts are those of hits, and not of the visits of a span.
  const needs = asked && { ...asked, amounts: false };
  const isFiltered = query.filters.length > 0;
  const rows = needs && isFiltered ? new SpanRows(query, needs, edgesMs.length - 1, context) : undefined;
  const { spans, all } = spanTotals(query, edgesMs, context, { hasMedians, hasAll }, rows?.countRun);
  const visits =
    rows ?? (needs && VisitCounts.of(query, needs, groupsOfSpans(edgesMs, bySpan(edgesMs)), context));
  const amounts = SpanAmounts.of(query, edgesMs, context);
  return {
    spans: spans.map((own, span) => {
      const measures = visits?.of(span);
      return totalsOf(query, own, { ...measures, ...amounts?.of(span, measures?.conversions) });
    }),
    all: all && totalsOf(query, all, { ...visits?.ofAll, ...amounts?.ofAll(visits?.ofAll.conversions) }),
  };
}

/** Returns the totals of a span, with the metrics that were asked for by name if any were. */
function totalsOf(query: SummaryQuery, measures: SpanMeasures, visits: Partial<VisitMeasures>): Totals {
  const { metrics, goal } = query;
  return figuresOf("summary", { metrics, goal }, { ...measures, ...noVisits, ...visits });
}

/** Returns the span of each row of a block. */
function bySpan(edgesMs: readonly number[]): GroupsOf {
  const spans = new Uint32Array(blockRows);
  return (block) => {
    visitRuns(block, edgesMs, (span, from, to) => spans.fill(span, from, to));
    return spans;
  };
}

/**
 * Returns the totals of each interval. A clock that was set may leave rows in the future: if the period has no end,
 * they are in no interval.
 */
function intervalTotals(
  query: SummaryQuery,
  interval: IntervalName,
  nowMs: number,
  context: QueryContext,
): Spans & { readonly dates: readonly string[] } {
  const period = closed(context.site, query.period, nowMs);
  const intervals = intervalsOf(interval, query.timezone, period, query.week_start);
  const dates = intervals.map(({ date }) => date);
  if (intervals.length === 0) return { dates, spans: [], all: undefined };
  const starts = intervals.slice(1).map(({ startMs }) => startMs);
  const edgesMs = [period.startMs, ...starts, period.endMs + 1];
  // If the period has a start and an end, its intervals cover all of it.
  return { dates, ...spansOf({ ...query, period }, edgesMs, context, isClosed(query.period)) };
}

/** Returns the period with a missing start replaced by the website's first hit, and a missing end by now. */
function closed(site: ReadSite, { startMs, endMs }: Period, nowMs: number): Period {
  return {
    startMs: Number.isFinite(startMs) ? startMs : firstHitMs(site),
    endMs: Number.isFinite(endMs) ? endMs : nowMs,
  };
}

/** Returns Infinity for a website without hits. */
function firstHitMs({ chunks, reduced }: ReadSite): number {
  return [...chunks.values(), ...reduced.values()].reduce(
    (first, { minMs }) => Math.min(first, minMs),
    Infinity,
  );
}
