/**
 * Adds what visits of months without rows reached. Such a month knows the goals that its website had when it gave up its
 * rows: by quarter of an hour when their visits came, reached them and went, and by value how many did so in the month.
 */
import { dayMs, visitSpanMsMax } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";
import { hasAmount, keyOfTarget, type Target } from "../../core/website/goal.ts";
import {
  goalTime,
  goalTimes,
  isOfBoth,
  patternDays,
  type ConversionsOf,
  type GoalQuarters,
} from "../../facts/months/sections/goal-sections.ts";
import type { ReducedFacts } from "../../facts/months/reduced-facts.ts";
import { quarterMs } from "../../facts/quarters.ts";
import type { ExactSum } from "../../lib/exact-sum.ts";
import { firstAtLeast } from "../../lib/search.ts";
import { monthEndMs } from "../../store/chunks/month.ts";
import { reducedUntilMs, type ReducedMonth } from "../../store/state/reduced-month.ts";
import type { QueryContext } from "../cache/context.ts";
import { touches } from "../rows/range.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import type { DistinctVisits } from "./distinct/distinct-visits.ts";
import { noteFolded } from "./month-visits.ts";
import { hasShortWithin } from "./short-spans.ts";

/**
 * Adds the visits by span that have a row there and reached the goal in the period of all spans. `edgesMs` as
 * `spanTotals` takes them. The answer is approximate where visits may count in a span without a row in it
 * (short-spans.ts).
 */
export function addSpanConversions(
  target: Target,
  edgesMs: readonly number[],
  distinct: Pick<DistinctVisits, "addFacts" | "all">,
  context: QueryContext,
): void {
  const spans = edgesMs.length - 1;
  const [startMs, endMs] = [edgesMs[0]!, edgesMs[spans]!];
  const edges = quartersAt(edgesMs);
  const [start, end] = [edges[0]!, edges[spans]!];
  for (const [month, goal] of monthsThatKnow(target, { startMs, endMs: endMs - 1 }, context)) {
    const facts = context.factsOf(month);
    const quarters = quartersOf(facts, goal, edgesMs);
    const crossings = facts.goalCrossings(goal);
    // Visits of both months are counted as one of this month, which lasts until they end.
    const maxMs = month.maxMs + (crossings.length > 0 ? visitSpanMsMax : 0);
    if (hasShortWithin(edgesMs, { minMs: month.minMs, maxMs })) context.isApproximate = true;
    const visitsIn = (from: number, to: number) => {
      const came = to === end ? goalTime.firstReach : goalTime.first;
      const left = from === start ? goalTime.lastReach : goalTime.last;
      const visits = before(quarters, came, to) - before(quarters, left, from);
      return crossings.reduce(
        (sum, times) =>
          sum + crossedIn(times, (own) => Number(own[came]! <= to) - Number(own[left]! <= from)),
        visits,
      );
    };
    for (let span = 0; span < spans; span++)
      distinct.addFacts(span, visitsIn(edges[span]!, edges[span + 1]!));
    distinct.all += visitsIn(start, end);
    context.factsAdded += spans;
  }
}

/** Returns the nearest quarters of edges. A chart without a start begins at the first row, whose quarter is in it. */
function quartersAt([startMs, ...others]: readonly number[]): readonly number[] {
  return [Math.floor(startMs! / quarterMs), ...others.map((ms) => Math.round(ms / quarterMs))];
}

/** Returns the quarters of a goal, or the whole month as one of them if a single span covers it. */
function quartersOf(facts: ReducedFacts, goal: number, [startMs, ...ends]: readonly number[]): GoalQuarters {
  const { monthMs } = facts.month;
  const isWhole = ends.length === 1 && startMs! <= monthMs && ends[0]! >= monthEndMs(monthMs);
  return isWhole ? facts.goalTotal(goal) : facts.goalQuarters(goal);
}

/** Returns how many visits have a `goalTime` before a quarter. */
function before({ numbers, visitsBefore }: GoalQuarters, time: number, quarter: number): number {
  const place = firstAtLeast(numbers, quarter);
  return place === 0 ? 0 : visitsBefore(time)[place]!;
}

/**
 * Returns by how much the two months count a visit of both too often or too seldom. `times`: its `goalTime`s in each of
 * them, counted from 1; `countOf`: how often it counts with these.
 */
function crossedIn(times: readonly number[], countOf: (times: readonly number[]) => number): number {
  const [here, there] = [times.slice(0, goalTimes), times.slice(goalTimes)];
  const reachedHere = here[goalTime.firstReach] !== 0;
  const reachedThere = there[goalTime.firstReach] !== 0;
  const all = [
    here[goalTime.first]!,
    (reachedHere ? here : there)[goalTime.firstReach]!,
    (reachedThere ? there : here)[goalTime.lastReach]!,
    there[goalTime.last]!,
  ];
  return countOf(all) - (reachedHere ? countOf(here) : 0) - (reachedThere ? countOf(there) : 0);
}

/** Adds the visits by group of values that reached the goal in a period of whole months. Returns how many months there were. */
export function addValueConversions(
  target: Target,
  { of, groupOf }: { readonly of: ConversionsOf; readonly groupOf: Uint32Array },
  period: Period,
  distinct: Pick<DistinctVisits, "addFacts">,
  context: QueryContext,
): number {
  const months = monthsThatKnow(target, period, context);
  for (const [month, goal] of months) {
    const values = context.factsOf(month).goalValues(of, goal);
    const { ids, visits, crossingIds, patterns, crossingVisits } = values;
    for (let at = 0; at < ids.length; at++) distinct.addFacts(groupOf[ids[at]!]!, visits[at]!);
    context.factsAdded += ids.length;
    // A visit has one entry and one exit.
    if (of !== "entries" && of !== "exits")
      noteFolded(
        month,
        ids.some((id) => groupOf[id] === overflowId),
        context,
      );
    const days = Math.ceil((period.endMs + 1 - monthEndMs(month.monthMs)) / dayMs);
    for (let at = 0; at < crossingIds.length; at++) {
      const crossed = crossedValue(patterns[at]!, Math.min(Math.max(days, 0), patternDays));
      distinct.addFacts(groupOf[crossingIds[at]!]!, crossed * crossingVisits[at]!);
    }
  }
  return months.length;
}

/** Returns the same of a visit with a pattern, where a period has this many days of the next month. */
function crossedValue(pattern: number, days: number): number {
  const next = (pattern >>> 2) & (4 ** days - 1);
  const bitsIn = (pairs: number) => Number((pairs & 0x55) !== 0 && (pairs & 0xaa) !== 0);
  return bitsIn((pattern & 3) | (next << 2)) - Number(isOfBoth(pattern)) - bitsIn(next);
}

/** A goal in a period: by how many visits, how often, and the sum of the amounts. */
interface Reached {
  visits: number;
  events: number;
  readonly amount: ExactSum;
}

/** Adds what months without rows know. */
export function addReached(target: Target, period: Period, reached: Reached, context: QueryContext): void {
  const edgesMs = [period.startMs, period.endMs + 1];
  const distinct = { all: 0, addFacts: () => {} };
  addSpanConversions(target, edgesMs, distinct, context);
  reached.visits += distinct.all;
  addSpanEvents(target, edgesMs, [reached], context);
}

/** Adds how often a goal was reached in each span, and the amounts. `edgesMs` as `spanTotals` takes them. */
export function addSpanEvents(
  target: Target,
  edgesMs: readonly number[],
  spans: readonly Omit<Reached, "visits">[],
  context: QueryContext,
): void {
  const period = { startMs: edgesMs[0]!, endMs: edgesMs[spans.length]! - 1 };
  for (const [month, goal] of monthsThatKnow(target, period, context)) {
    const quarters = quartersOf(context.factsOf(month), goal, edgesMs);
    const { numbers, events, wholes, parts } = quarters;
    const places = quartersAt(edgesMs).map((quarter) => firstAtLeast(numbers, quarter));
    spans.forEach((span, at) => {
      const [from, to] = [places[at]!, places[at + 1]!];
      span.events += events[to]! - events[from]!;
      if (hasAmount(target)) span.amount.addParts(wholes[to]! - wholes[from]!, parts[to]! - parts[from]!);
    });
  }
}

/**
 * Returns from when on months without rows know a goal: from the end of the last one that does not; -Infinity if all
 * do.
 */
export function goalSinceMs(target: Target, context: QueryContext): number {
  const { reduced } = context.site;
  const key = keyOfTarget(target);
  return reducedUntilMs(reduced.values().filter((month) => context.factsOf(month).goalAt(key) < 0));
}

/** Returns the months without rows that a period touches and that know a goal, with the index of the goal in each. */
function monthsThatKnow(
  target: Target,
  period: Period,
  context: QueryContext,
): readonly (readonly [ReducedMonth, number])[] {
  const { reduced } = context.site;
  const key = keyOfTarget(target);
  return [...reduced.values()].flatMap((month) => {
    const goal = touches(month, period) ? context.factsOf(month).goalAt(key) : -1;
    return goal < 0 ? [] : [[month, goal] as const];
  });
}
