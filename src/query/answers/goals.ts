/**
 * Answers the figures of goals: the visits that reached each, how often, and the sum of a property. In each chunk page
 * views are counted in one walk over the selected rows, events in one over their properties. In memory it takes a bit for
 * each visit and goal, and of one chunk at a time the hits whose amounts are summed up.
 */
import { percent } from "../../core/metric.ts";
import { goalView, type GoalView, type Target } from "../../core/website/goal.ts";
import type { GoalFigures, GoalsQuery } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import { QueryContext } from "../cache/context.ts";
import { ExactSum } from "../counts/exact-sum.ts";
import { countVisits } from "../counts/span-visits.ts";
import { keepPageViews, selectedIds, selectedVisits } from "../rows/block.ts";
import { keyOf } from "../rows/mask.ts";
import { visitLeft } from "../rows/select.ts";
import { cachedOfWhole, chunksIn } from "../rows/selected-visits.ts";
import { SelectedProperties } from "../rows/selected-properties.ts";
import { compileTargets, type CompiledTargets, type EventMasks } from "../rows/targets.ts";
import { VisitSet } from "../rows/visit-numbers.ts";

export type GoalAnswer = GoalView & GoalFigures & { readonly previous?: GoalFigures };

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

export function answerGoals(
  site: SiteWithFacts,
  query: GoalsQuery,
  context = new QueryContext(),
): GoalAnswer[] {
  const { compare, goals, onlyNames } = query;
  if (goals.length === 0) return [];
  const own = figuresIn(site, query, context);
  const before = compare && figuresIn(site, { ...query, period: compare }, context);
  return goals.map((goal, at) => ({
    ...(onlyNames ? { id: goal.goalId, name: goal.name } : goalView(goal)),
    ...(own[at] as GoalFigures),
    ...(before && { previous: before[at] as GoalFigures }),
  }));
}

/** Returns the figures of the goals in the period of the query. */
function figuresIn(site: SiteWithFacts, query: GoalsQuery, context: QueryContext): readonly GoalFigures[] {
  const targets = query.goals.map(({ target }) => target);
  const counts = countsOf(site, query, targets, context);
  const allVisits = countVisits(site, query, context);
  return targets.map((target, at) => {
    const { visits, events, amount } = counts[at] as GoalCounts;
    const hasAmount = "event" in target && target.event.amount !== null;
    return {
      visits: visits.size,
      ...(allVisits > 0 && { conversion_percentage: percent(visits.size, allVisits) }),
      events,
      ...(hasAmount && { amount: amount.value }),
    };
  });
}

/** Adds up the counts of all chunks; those of a whole sealed chunk are cached. */
function countsOf(
  site: SiteWithFacts,
  query: GoalsQuery,
  targets: readonly Target[],
  context: QueryContext,
): readonly GoalCounts[] {
  const all = targets.map(() => new GoalCounts());
  const compiled = compileTargets(site, targets, context);
  const properties = new SelectedProperties(site, query, context);
  const key = `goals ${JSON.stringify(targets)} ${keyOf(query.filters)}`;
  const bytesOf = (own: readonly GoalCounts[]) =>
    own.reduce((sum, { visits }) => sum + visits.bytes + 128, 0);
  for (const chunk of chunksIn(site, query)) {
    const count = () => {
      const own = targets.map(() => new GoalCounts());
      countPageViews(site, chunk, query, compiled, own, context);
      if (compiled.events.length === 0 || chunk.properties === 0) return own;
      const indexes = properties.of(chunk, compiled.names);
      for (const event of compiled.events) countEvents(chunk, indexes, event, own[event.index] as GoalCounts);
      return own;
    };
    const own = cachedOfWhole(chunk, query, key, context, count, bytesOf);
    all.forEach((counts, at) => counts.addAll(own[at] as GoalCounts));
  }
  return all;
}

/** Counts the page views of goals in a chunk. */
function countPageViews(
  site: SiteWithFacts,
  chunk: Chunk,
  { period, filters }: GoalsQuery,
  { paths, ofPath }: CompiledTargets,
  counts: readonly GoalCounts[],
  context: QueryContext,
): void {
  if (paths === undefined) return;
  visitLeft(site, [{ chunk, period }], filters, context, (block) => {
    const own = keepPageViews(block, paths);
    const [visits, ids] = [selectedVisits(own), selectedIds(own, "path")];
    for (let at = 0; at < own.count; at++) {
      const goals = ofPath[ids[at]!]!;
      for (let index = 0; index < goals.length; index++) counts[goals[index]!]!.add(visits[at]!);
    }
  });
}

/** Counts the events of a goal among the properties of a chunk, and sums up the amounts of their hits. */
function countEvents(
  chunk: Chunk,
  indexes: Uint32Array,
  { names, values, amounts }: EventMasks,
  counts: GoalCounts,
): void {
  const { propertyName, propertyValue, propertyRow, propertyTime, propertyNumber, visit } = chunk;
  // A hit is known by its row and its time.
  const hitOf = (index: number) => propertyRow[index]! * 2 ** 32 + propertyTime[index]!;
  const isNumber = (index: number) =>
    amounts?.[propertyName[index]!] === 1 && !Number.isNaN(propertyNumber[index]);
  const numbers = indexes.filter(isNumber);
  const hits = new Set<number>();
  for (let at = 0; at < indexes.length; at++) {
    const index = indexes[at]!;
    if (names[propertyName[index]!] === 0 || values[propertyValue[index]!] === 0) continue;
    counts.add(visit[propertyRow[index]!]!);
    if (numbers.length > 0) hits.add(hitOf(index));
  }
  for (const index of numbers) if (hits.has(hitOf(index))) counts.amount.add(propertyNumber[index]!);
}
