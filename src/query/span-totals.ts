/**
 * Totals of the spans of a period, such as the intervals of a chart: from quarters of an hour of facts where a span has
 * whole ones, and from rows for the rest.
 */
import type { Selection, Totals } from "../core/query.ts";
import { knownBefore, placeOf, quarterMs } from "../facts/quarters.ts";
import type { SiteWithFacts } from "../facts/facts.ts";
import { pageViewClasses } from "../store/row-class.ts";
import { blockRows, selectedDurations, selectedFlags, type Block } from "./block.ts";
import type { QueryContext } from "./context.ts";
import { Counts } from "./count.ts";
import { mixedQuantiles, type WaveletRange } from "./duration-quantiles.ts";
import { factsAndRows, spanOf, type FactsPart } from "./facts-and-rows.ts";
import { Durations, quantilesOf } from "./quantile.ts";
import { totalsOf } from "./row.ts";
import { visitLeft, type Visit } from "./select.ts";
import { visitorFlag } from "./visitor.ts";

// This thread's.
const spanCounts = new Counts();
const allCounts = new Counts();
const scratchSpans = new Uint32Array(blockRows);

export interface SpanTotals {
  readonly spans: readonly Totals[];
  /** The totals of all spans together; undefined where the question has to ask for them by themselves. */
  readonly all: Totals | undefined;
}

/** `edgesMs`: where each span of the period begins, and at the end where the last one ends. */
export function spanTotals(
  site: SiteWithFacts,
  selection: Selection,
  edgesMs: readonly number[],
  context: QueryContext,
): SpanTotals {
  const { filters } = selection;
  const { facts, rows } = factsAndRows(site, selection, quarterMs, { edgesMs });
  const visitor = visitorFlag(filters);
  const spans = edgesMs.length - 1;
  const counts = spanCounts.begin(spans);
  const visitBlocks = (visit: Visit) => visitLeft(site, rows, filters, context, visit);
  visitBlocks((block) => {
    const [flags, durations] = [selectedFlags(block), selectedDurations(block)];
    counts.addRows(spansIn(block, edgesMs), flags, durations, block.count, visitor);
  });
  const durations = new Durations(Uint32Array.from({ length: spans }, (_, span) => counts.known(span)));
  visitBlocks((block) =>
    durations.addRows(spansIn(block, edgesMs), selectedFlags(block), selectedDurations(block), block.count),
  );
  const ranges = Map.groupBy(
    facts.flatMap((part) => addFacts(part, counts)),
    ({ span }) => span,
  );
  context.factsAdded += facts.length;
  const totals = Array.from({ length: spans }, (_, span) => {
    context.throwIfCancelled();
    const [median] = mixedQuantiles(durations.of(span), ranges.get(span) ?? [], [0.5]);
    return totalsOf(counts.of(span), median as number);
  });
  if (facts.length > 0) return { spans: totals, all: undefined };
  const all = allCounts.begin(1);
  all.addCounts(counts, new Uint32Array(spans));
  return { spans: totals, all: totalsOf(all.of(0), quantilesOf(durations.all(), [0.5])[0] as number) };
}

/** Adds the quarters of a part to its span, and returns their durations. */
function addFacts(
  { facts, span, whole, from, to }: FactsPart,
  counts: Counts,
): (WaveletRange & { readonly span: number })[] {
  const quarters = facts.quarters();
  const first = whole ? 0 : placeOf(quarters, from);
  const end = whole ? quarters.numbers.length : placeOf(quarters, to);
  if (first === end) return [];
  const rows = new Uint32Array(pageViewClasses);
  for (let kind = 0; kind < pageViewClasses; kind++)
    rows[kind] =
      quarters.counts[end * pageViewClasses + kind]! - quarters.counts[first * pageViewClasses + kind]!;
  counts.addClasses(span, rows);
  const wavelet = facts.durations();
  return [{ span, wavelet, from: knownBefore(quarters, first), to: knownBefore(quarters, end) }];
}

/** The span of each selected row of a block. */
function spansIn(block: Block, edgesMs: readonly number[]): Uint32Array {
  if (edgesMs.length === 2) return scratchSpans.fill(0, 0, block.count);
  return block.chunk.sorted ? risingSpans(block, edgesMs) : searchedSpans(block, edgesMs);
}

/** Rows in the order of their time: each is in the span of the one before it, or soon after. */
function risingSpans({ chunk, start, rows, count }: Block, edgesMs: readonly number[]): Uint32Array {
  const { time, monthMs } = chunk;
  const last = edgesMs.length - 2;
  let span = spanOf(edgesMs, time[start + rows[0]!]! + monthMs);
  let next = span === last ? Infinity : edgesMs[span + 1]! - monthMs;
  if (time[start + rows[count - 1]!]! < next) return scratchSpans.fill(span, 0, count);
  for (let at = 0; at < count; at++) {
    const ms = time[start + rows[at]!]!;
    while (ms >= next) next = ++span === last ? Infinity : edgesMs[span + 1]! - monthMs;
    scratchSpans[at] = span;
  }
  return scratchSpans;
}

function searchedSpans({ chunk, start, rows, count }: Block, edgesMs: readonly number[]): Uint32Array {
  const { time, monthMs } = chunk;
  for (let at = 0; at < count; at++) scratchSpans[at] = spanOf(edgesMs, time[start + rows[at]!]! + monthMs);
  return scratchSpans;
}
