/**
 * Adds the visits of months without rows. Such a month has a sum for each day, and a visit with rows on two days is in
 * both sums. The month also keeps how many visits have rows on several days, or in the next month: these are
 * subtracted.
 */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";
import type { CountedVisits } from "../../facts/facts.ts";
import { placeOf, quarterMs, quarterVisit, quarterVisits, type Quarters } from "../../facts/quarters.ts";
import type { ReducedFacts } from "../../facts/months/reduced-facts.ts";
import type { Repeats } from "../../facts/months/sections/repeats.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";
import { monthEndMs } from "../../store/chunks/month.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import type { QueryContext } from "../cache/context.ts";
import { factsAndRows, spanOf, type MonthPart } from "../rows/facts-and-rows.ts";
import type { DistinctVisits } from "./distinct/distinct-visits.ts";
import { monthRollups } from "../counts/month-rollups.ts";
import { quartersOf } from "../counts/span-totals.ts";
import { noRest, type QuarterRest } from "./quarter-rest.ts";
import { hasShortWithin } from "./short-spans.ts";
import type { ValueGroups } from "./value-groups.ts";
import type { VisitDetail, VisitTally } from "./visit-tally.ts";

/** Adds the visits of whole UTC days by value. */
export function addValueVisits(
  period: Period,
  { of, groupOf, isExact }: ValueGroups,
  tally: VisitTally,
  context: QueryContext,
): void {
  const { months } = factsAndRows(context.site, { period, filters: [] }, dayMs);
  const lastDay = Math.floor(period.endMs / dayMs);
  const others = tally.visits.of(overflowId);
  for (const { rollup, first, end } of monthRollups(months, of, context))
    context.factsAdded += tally.addRollup(rollup, groupOf, first, end);
  for (const part of months) {
    const facts = context.factsOf(part.month);
    for (const [distinct, counted] of tally.distinct)
      takeOffRepeats(
        part,
        facts.repeats(of, counted),
        facts.repeats(undefined, counted),
        groupOf,
        lastDay,
        distinct,
      );
    noteTimes(part.month, facts, tally.detail, context);
    noteFolded(part.month, tally.visits.of(overflowId) > others, context);
  }
  // A visit that has two values of a group counts twice there.
  if (months.length > 0 && !isExact) context.isApproximate = true;
}

/** Marks the answer as approximate if visits of `(other)` are counted and may be in them more than once. */
export function noteFolded({ head }: ReducedMonth, hasOthers: boolean, context: QueryContext): void {
  if (hasOthers && head.isFolded === true) context.isApproximate = true;
}

/**
 * Marks the answer as approximate if the month's file is of an earlier version that lacks what is counted. Imported
 * sums lack it too, but are all that is known of their months.
 */
function noteTimes(
  { head }: ReducedMonth,
  { isTimed }: ReducedFacts,
  { timed, outside }: VisitDetail,
  context: QueryContext,
): void {
  if ((timed || outside) && !isTimed && !head.isImported) context.isApproximate = true;
}

/** `own`: the repeats by value; `all`: those of all values together. */
function takeOffRepeats(
  part: MonthPart,
  { ids, days, nextDays, visits }: Repeats,
  all: Repeats,
  groupOf: Uint32Array,
  lastDay: number,
  distinct: DistinctVisits,
): void {
  // A whole month counts its own visits once already.
  const fromDay = part.whole ? Math.floor(monthEndMs(part.month.monthMs) / dayMs) : part.from;
  const counts = (day: number, nextDay: number) =>
    (part.whole || day >= part.from) && nextDay >= fromDay && nextDay <= lastDay;
  for (let at = 0; at < ids.length; at++)
    if (counts(days[at]!, nextDays[at]!)) distinct.addFacts(groupOf[ids[at]!]!, -visits[at]!);
  for (let at = 0; at < all.ids.length; at++)
    if (counts(all.days[at]!, all.nextDays[at]!)) distinct.all -= all.visits[at]!;
}

/** Adds the visits of spans of time; `edgesMs` as `spanTotals` takes them. */
export function addSpanVisits(edgesMs: readonly number[], tally: VisitTally, context: QueryContext): void {
  const spans = edgesMs.length - 1;
  const period = { startMs: edgesMs[0]!, endMs: edgesMs[spans]! - 1 };
  const { months } = factsAndRows(context.site, { period, filters: [] }, quarterMs, { edgesMs });
  if (months.length === 0) return;
  const quarterOf = (ms: number) => Math.round(ms / quarterMs);
  // A month that one span covers has no other part.
  for (const [month, part] of new Map(months.map((part) => [part.month, part]))) {
    if (hasShortWithin(edgesMs, month)) context.isApproximate = true;
    const facts = context.factsOf(month);
    const quarters = quartersOf(part, context);
    const placeAt = (ms: number) =>
      ms <= month.minMs ? 0 : ms > month.maxMs ? quarters.numbers.length : placeOf(quarters, quarterOf(ms));
    const crossing = (fromMs: number, toMs: number, counted: CountedVisits) => {
      const crossings = facts.crossings(counted);
      let visits = 0;
      // The visits that go on in the next month are counted there too.
      for (let at = 0; at < crossings.lasts.length; at++)
        if (
          (fromMs <= month.minMs || crossings.lasts[at]! >= quarterOf(fromMs)) &&
          crossings.firsts[at]! < quarterOf(toMs)
        )
          visits += crossings.visits[at]!;
      return visits;
    };
    context.factsAdded += addSpans(tally, month, quarters, edgesMs, {
      placeAt,
      restAt: () => noRest,
      crossing,
    });
    noteTimes(month, facts, tally.detail, context);
  }
}

interface Places {
  /** Returns the index of the quarter that a time is in, or of the first one after it. */
  readonly placeAt: (ms: number) => number;
  /** Returns what comes before a time in its quarter. */
  readonly restAt: (ms: number) => QuarterRest;
  /** Returns the visits with rows from `fromMs` on that go on elsewhere before `toMs`, and count there. */
  readonly crossing: (fromMs: number, toMs: number, counted: CountedVisits) => number;
}

/**
 * Adds the visits of a chunk or month to the spans that it has rows in, from its quarters of an hour. Returns how many
 * spans these are.
 */
export function addSpans(
  tally: VisitTally,
  { minMs, maxMs }: Pick<Chunk, "minMs" | "maxMs">,
  { visits, outside }: Quarters,
  edgesMs: readonly number[],
  { placeAt, restAt, crossing }: Places,
): number {
  const visitsIn = (startMs: number, endMs: number, counted: CountedVisits) => {
    const { first, last, firstTimed, lastTimed } = quarterVisit;
    const before = (part: number, ms: number) =>
      visits[placeAt(ms) * quarterVisits + part]! + restAt(ms).visits[part]!;
    const [begun, ended] = counted === "all" ? [first, last] : [firstTimed, lastTimed];
    return before(begun, endMs) - before(ended, startMs) - crossing(startMs, endMs, counted);
  };
  const spans = edgesMs.length - 1;
  const firstSpan = spanOf(edgesMs, minMs);
  let span = firstSpan;
  for (; span < spans && edgesMs[span]! <= maxMs; span++) {
    const [startMs, endMs] = [edgesMs[span]!, edgesMs[span + 1]!];
    for (const [distinct, counted] of tally.distinct)
      distinct.addFacts(span, visitsIn(startMs, endMs, counted));
    if (outside === undefined) continue;
    const [from, to] = [placeAt(startMs), placeAt(endMs)];
    const { pageviews, totalMs } = outside;
    const [less, more] = [restAt(startMs), restAt(endMs)];
    tally.outside?.add(
      span,
      pageviews[to]! - pageviews[from]! + more.pageviews - less.pageviews,
      totalMs[to]! - totalMs[from]! + more.totalMs - less.totalMs,
    );
  }
  for (const [distinct, counted] of tally.distinct)
    distinct.all += visitsIn(edgesMs[0]!, edgesMs[spans]!, counted);
  return span - firstSpan;
}
