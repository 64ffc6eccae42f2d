/**
 * Totals for the spans of a period, such as the intervals of a chart. The whole quarters of an hour in a span come from
 * facts, the rest from rows.
 */
import type { PageViewCounts } from "../../core/questions/metric.ts";
import type { Selection } from "../../core/questions/query.ts";
import { knownBefore, placeOf, quarterMs, type Quarters } from "../../facts/quarters.ts";
import { pageViewClasses, type VisitorFlag } from "../../store/columns/row-class.ts";
import { firstThat } from "../../lib/search.ts";
import { blockRows, selectedDurations, selectedFlags, type Block } from "../rows/block.ts";
import type { QueryContext } from "../cache/context.ts";
import { Counts } from "./count.ts";
import { DigestQuantiles } from "../quantiles/digest-quantiles.ts";
import { addDurations } from "../quantiles/month-durations.ts";
import { mixedQuantiles, type WaveletRange } from "../quantiles/duration-quantiles.ts";
import { factsAndRows, spanOf, type FactsPart, type MonthPart } from "../rows/facts-and-rows.ts";
import { Durations } from "../quantiles/quantile.ts";
import { visitLeft } from "../rows/select.ts";
import { exactQuantiles, type Walk } from "../quantiles/walked-quantiles.ts";
import { visitorFlag } from "./visitor.ts";

// This thread's counts, used again by each question.
const spanCounts = new Counts();
const allCounts = new Counts();

/** The measures that the totals of a span are made of. */
export interface SpanMeasures extends PageViewCounts {
  /** NaN if medians are not asked for. */
  readonly medianMs: number;
}

export interface SpanTotals {
  readonly spans: readonly SpanMeasures[];
  /** The measures of all spans together; undefined if they are not asked for, or have to be computed on their own. */
  readonly all: SpanMeasures | undefined;
}

export interface SpansAsked {
  /** Whether medians are asked for, which take longer than all the rest. */
  readonly hasMedians: boolean;
  /** Whether all spans together are asked for too. */
  readonly hasAll: boolean;
}

/** Counts a block's selected rows at the indexes from `from` up to `to` in the group of their span. */
export type CountRun = (counts: Counts, span: number, block: Block, from: number, to: number) => void;

/**
 * `edgesMs`: the start of each span of the period, and the end of the last one. `countRun`: counts the rows that are read,
 * and may count more of them.
 */
export function spanTotals(
  selection: Selection,
  edgesMs: readonly number[],
  context: QueryContext,
  { hasMedians, hasAll }: SpansAsked,
  countRun = countRunsOf(visitorFlag(selection.filters)),
): SpanTotals {
  const { filters } = selection;
  const { facts, rows, months } = factsAndRows(context.site, selection, quarterMs, { edgesMs });
  const spans = edgesMs.length - 1;
  const counts = spanCounts.begin(spans);
  const isOfRows = facts.length + months.length === 0;
  visitLeft(rows, filters, context, (block) =>
    visitRuns(block, edgesMs, (span, from, to) => countRun(counts, span, block, from, to)),
  );
  const all = isOfRows && hasAll ? allCounts.begin(1) : undefined;
  all?.addCounts(counts, new Uint32Array(spans));
  // By span, and then in all spans together: of rows alone, so before facts are added.
  const knownOf = Uint32Array.from({ length: spans + 1 }, (_, group) =>
    group < spans ? counts.known(group) : (all?.known(0) ?? 0),
  );
  const found = facts.flatMap((part) => addFacts(part, counts, hasMedians));
  const ranges = Map.groupBy(found, ({ span }) => span);
  for (const part of months) addQuarters(part, quartersOf(part, context), counts);
  const monthsOf = Map.groupBy(months, ({ span }) => span);
  context.factsAdded += facts.length + months.length;
  const groups = new Uint32Array(blockRows);
  const walk: Walk = (addRows) =>
    visitLeft(rows, filters, context, (block) => {
      const [flags, ms] = [selectedFlags(block), selectedDurations(block)];
      visitRuns(block, edgesMs, (span, from, to) => groups.fill(span, from, to));
      addRows(groups, flags, ms, block.count);
      if (all) addRows(groups.fill(spans, 0, block.count), flags, ms, block.count);
    });
  const mediansOfRows = () => exactQuantiles(knownOf, [...knownOf.keys()], [0.5], walk, context.copiedMax);
  const mediansWithFacts = () => {
    const copied = new Durations(knownOf);
    walk((ofRows, flags, ms, count) => copied.addRows(ofRows, flags, ms, count));
    return (span: number) => {
      const [own, digested] = [ranges.get(span) ?? [], monthsOf.get(span)];
      return digested === undefined
        ? mixedQuantiles(copied.of(span), own, [0.5])
        : digestQuantiles(copied.of(span), own, digested, context);
    };
  };
  const medians = hasMedians ? (isOfRows ? mediansOfRows() : mediansWithFacts()) : undefined;
  const measuresOf = (of: PageViewCounts, group: number) => {
    context.throwIfCancelled();
    // An hour of a month without rows may have durations where the span has none.
    return { ...of, medianMs: medians === undefined ? NaN : of.known === 0 ? 0 : medians(group)[0]! };
  };
  return {
    spans: Array.from({ length: spans }, (_, span) => measuresOf(counts.of(span), span)),
    all: all && measuresOf(all.of(0), spans),
  };
}

function countRunsOf(visitor: VisitorFlag): CountRun {
  return (counts, span, block, from, to) => counts.addRun(span, block, from, to, visitor);
}

/** Returns the median of durations and of those of months without rows. */
function digestQuantiles(
  values: Uint32Array,
  ranges: readonly WaveletRange[],
  months: readonly MonthPart[],
  context: QueryContext,
): number[] {
  const quantiles = new DigestQuantiles();
  for (const part of months) addDurations(quantiles, context.factsOf(part.month), part);
  quantiles.addExact(values, ranges);
  context.isApproximate ||= !quantiles.isExact;
  return quantiles.of([0.5]);
}

/** Returns the quarters of a month, or all of it as a single one where a span covers it. Throws what reading them throws. */
export function quartersOf({ month, whole }: MonthPart, context: QueryContext): Quarters {
  const facts = context.factsOf(month);
  return whole ? facts.total() : facts.quarters();
}

/** Adds the quarters of a part to its span, and returns their durations if medians are asked for. */
function addFacts(
  part: FactsPart,
  counts: Counts,
  hasMedians: boolean,
): (WaveletRange & { readonly span: number })[] {
  const quarters = part.facts.quarters();
  const [first, end] = addQuarters(part, quarters, counts);
  if (first === end || !hasMedians) return [];
  const [from, to] = [knownBefore(quarters, first), knownBefore(quarters, end)];
  return [{ span: part.span, wavelet: part.facts.durations(), from, to }];
}

/** Returns the indexes of the quarters that belong to a part: the first one, and the end. */
export function placesOf(
  { whole, from, to }: FactsPart | MonthPart,
  quarters: Quarters,
): readonly [first: number, end: number] {
  return whole ? [0, quarters.numbers.length] : [placeOf(quarters, from), placeOf(quarters, to)];
}

/** Adds the quarters of a part to its span, and returns their indexes as `placesOf` does. */
function addQuarters(
  part: FactsPart | MonthPart,
  quarters: Quarters,
  counts: Counts,
): readonly [first: number, end: number] {
  const [first, end] = placesOf(part, quarters);
  const rows = new Uint32Array(pageViewClasses);
  for (let kind = 0; kind < pageViewClasses; kind++)
    rows[kind] =
      quarters.counts[end * pageViewClasses + kind]! - quarters.counts[first * pageViewClasses + kind]!;
  counts.addClasses(part.span, rows, quarters.totalMs[end]! - quarters.totalMs[first]!);
  return [first, end];
}

/** Calls `visit` for each run of a block's selected rows in one span: those at the indexes from `from` up to `to`. */
export function visitRuns(
  { chunk, start, rows, count }: Block,
  edgesMs: readonly number[],
  visit: (span: number, from: number, to: number) => void,
): void {
  const last = edgesMs.length - 2;
  if (last === 0) return visit(0, 0, count);
  const { time, monthMs, sorted } = chunk;
  const msAt = (at: number) => time[start + rows[at]!]! + monthMs;
  for (let from = 0; from < count;) {
    const span = spanOf(edgesMs, msAt(from));
    const startMs = span === 0 ? -Infinity : edgesMs[span]!;
    const endMs = span === last ? Infinity : edgesMs[span + 1]!;
    let to = from + 1;
    if (sorted) to = firstThat(from + 1, count, (at) => msAt(at) >= endMs);
    else while (to < count && msAt(to) >= startMs && msAt(to) < endMs) to++;
    visit(span, from, to);
    from = to;
  }
}
