/**
 * Answers the figures of goals: the visits that reached each, how often, and the sum of a property. In each chunk page
 * views are counted in one walk over the selected rows, events in one over their properties. In memory it takes a bit for
 * each visit and goal, and of one chunk at a time the hits whose amounts are summed up.
 */
import { percent } from "../../core/questions/metric.ts";
import { goalView, hasAmount, type Goal, type GoalView, type Target } from "../../core/website/goal.ts";
import type { GoalFigures } from "../../core/questions/answer.ts";
import type { GoalsQuery } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { reducedUntilMs } from "../../store/state/reduced-month.ts";
import type { QueryContext } from "../cache/context.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import { readEvents } from "../../facts/months/read-events.ts";
import { addReached, goalSinceMs } from "../visits/month-conversions.ts";
import { countVisits } from "../visits/span-visits.ts";
import { keepPageViews, keepVisits, selectedIds, selectedVisits } from "../rows/block.ts";
import { keyOf } from "../rows/filters/mask.ts";
import { visitLeft } from "../rows/select.ts";
import { cachedOfWhole, chunksIn } from "../rows/selected-visits.ts";
import { SelectedProperties } from "../rows/selected-properties.ts";
import {
  compileTargets,
  targetRows,
  type CompiledTargets,
  type TargetRows,
} from "../rows/filters/targets.ts";
import { VisitSet } from "../rows/visit-numbers.ts";

export type GoalAnswer = GoalView &
  GoalFigures & { readonly since?: string; readonly previous?: GoalFigures };

class GoalCounts {
  readonly visits = new VisitSet();
  readonly amount = new ExactSum();
  events = 0;

  add(visit: number): void {
    this.visits.add(visit);
    this.events++;
  }

  addAll({ visits, amount, events }: GoalCounts): void {
    this.visits.addAll(visits);
    this.amount.addAll(amount);
    this.events += events;
  }
}

export function answerGoals(query: GoalsQuery, context: QueryContext): GoalAnswer[] {
  const { compare, goals, onlyNames } = query;
  if (goals.length === 0) return [];
  // Goals that months without rows know from different times on have periods of their own.
  const since = new Map(goals.map((goal) => [goal, sinceOf(query, goal, context)]));
  const rows = new Map<Goal, GoalAnswer>();
  for (const [sinceMs, same] of Map.groupBy(goals, (goal) => since.get(goal)!)) {
    const from = Number.isFinite(sinceMs) && sinceMs > query.period.startMs;
    const period = { ...query.period, startMs: Math.max(query.period.startMs, sinceMs) };
    const own = figuresIn({ ...query, goals: same, period }, context);
    const isKnown = compare !== undefined && compare.startMs >= sinceMs;
    const before = isKnown ? figuresIn({ ...query, goals: same, period: compare }, context) : undefined;
    same.forEach((goal, at) =>
      rows.set(goal, {
        ...(onlyNames ? { id: goal.id, name: goal.name } : goalView(goal)),
        ...own[at]!,
        ...(from && { since: new Date(sinceMs).toISOString() }),
        ...(before && { previous: before[at]! }),
      }),
    );
  }
  return goals.map((goal) => rows.get(goal) as GoalAnswer);
}

/** Returns from when on a goal is known, where a period reaches into months without rows; else -Infinity. */
function sinceOf({ period, compare, filters }: GoalsQuery, { target }: Goal, context: QueryContext): number {
  const untilMs = reducedUntilMs(context.site.reduced.values());
  const startMs = Math.min(period.startMs, compare?.startMs ?? Infinity);
  if (filters.length > 0 || startMs >= untilMs) return -Infinity;
  return goalSinceMs(target, context);
}

/** Returns the figures of the goals in the period of the query. */
function figuresIn(query: GoalsQuery, context: QueryContext): readonly GoalFigures[] {
  const targets = query.goals.map(({ target }) => target);
  const isEmpty = query.period.startMs > query.period.endMs;
  const rows = targetRows(query, context);
  const counts = isEmpty ? targets.map(() => new GoalCounts()) : countsOf(query, targets, rows, context);
  const allVisits = isEmpty ? 0 : (rows.visits?.size ?? countVisits(query, context));
  return targets.map((target, at) => {
    const { visits, events, amount } = counts[at]!;
    const reached = { visits: visits.size, events, amount };
    if (query.filters.length === 0 && !isEmpty) addReached(target, query.period, reached, context);
    return {
      visits: reached.visits,
      ...(allVisits > 0 && { conversion_percentage: percent(reached.visits, allVisits) }),
      events: reached.events,
      // Amounts that came as text are not known, and are not 0.
      ...(hasAmount(target) && (reached.events === 0 || !amount.isEmpty) && { amount: amount.value }),
    };
  });
}

/** Adds up the counts of all chunks; those of a whole sealed chunk are cached where no visits are chosen. */
function countsOf(
  { period }: GoalsQuery,
  targets: readonly Target[],
  rows: TargetRows,
  context: QueryContext,
): readonly GoalCounts[] {
  const all = targets.map(() => new GoalCounts());
  const compiled = compileTargets(targets, context);
  const counted = { period, ...rows };
  const { filters, visits } = rows;
  const properties = new SelectedProperties(counted, context);
  const key = `goals ${JSON.stringify(targets)} ${keyOf(filters)}`;
  const bytesOf = (own: readonly GoalCounts[]) =>
    own.reduce((sum, { visits }) => sum + visits.bytes + 128, 0);
  for (const chunk of chunksIn(context.site, counted)) {
    context.throwIfCancelled();
    const count = () => {
      const own = targets.map(() => new GoalCounts());
      countPageViews(chunk, counted, compiled, own, context);
      if (compiled.events.length === 0 || chunk.properties === 0) return own;
      const indexes = properties.of(chunk, compiled.names, visits);
      for (const event of compiled.events) {
        const counts = own[event.index]!;
        readEvents(chunk, indexes, event, {
          reached: (index) => counts.add(chunk.visit[chunk.propertyRow[index]!]!),
          amount: (value) => counts.amount.add(value),
        });
      }
      return own;
    };
    const own = visits === undefined ? cachedOfWhole(chunk, counted, key, context, count, bytesOf) : count();
    all.forEach((counts, at) => counts.addAll(own[at]!));
  }
  return all;
}

/** Counts the page views of goals in a chunk. */
function countPageViews(
  chunk: Chunk,
  { period, filters, visits }: TargetRows & Pick<GoalsQuery, "period">,
  { paths, ofPath }: CompiledTargets,
  counts: readonly GoalCounts[],
  context: QueryContext,
): void {
  if (paths === undefined) return;
  visitLeft([{ chunk, period }], filters, context, (block) => {
    const reached = keepPageViews(block, paths);
    const own = visits === undefined ? reached : keepVisits(reached, visits);
    const [visitOf, ids] = [selectedVisits(own), selectedIds(own, "path")];
    for (let at = 0; at < own.count; at++) {
      const goals = ofPath[ids[at]!]!;
      for (let index = 0; index < goals.length; index++) counts[goals[index]!]!.add(visitOf[at]!);
    }
  });
}
