/** Answers the lists of the pages that visits began with, and of those that they ended with so far. */
import { amountMetric, type RowFigures } from "../../core/questions/metric.ts";
import type { EntriesQuery } from "../../core/questions/query.ts";
import { visitFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { figuresOf, type FiguresOf } from "../counts/row.ts";
import { addValueConversions } from "../visits/month-conversions.ts";
import { unknownAmount, VisitAmounts } from "../goals/visit-amounts.ts";
import { VisitEnds } from "../visits/visit-ends.ts";
import { selectedIds, selectedVisitFlags, selectedVisits } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";
import { visitsThatReached } from "../rows/filters/targets.ts";
import { answering, type Counting, type Grouped } from "./grouped.ts";
import { isOther, rankWithOthers } from "./rank.ts";
import type { ValueGroups } from "../visits/value-groups.ts";

export const answerEntries = answering(figuresIn);

/** Returns the figures of pages in the period of the query. */
function figuresIn(
  query: EntriesQuery,
  { labels, values, byValue }: Grouped,
  { context, page, only }: Counting,
): FiguresOf<RowFigures<"entries" | "exits">> {
  const ends = VisitEnds.of(query, byValue, context);
  const visits = Uint32Array.from({ length: labels.size }, (_, path) =>
    query.list === "entries" ? ends.entries(path) : ends.exits(path),
  );
  const { conversions, amounts } = reachedFrom(query, values, context);
  const found = Array.from(visits.keys()).filter((path) => visits[path]! > 0);
  const allVisits = found.reduce((sum, path) => sum + visits[path]!, 0);
  const hasViews = query.metrics?.includes("exit_percentage") ?? false;
  if (hasViews) page.count(counts, values);
  const order = (a: number, b: number) => visits[b]! - visits[a]! || labels.compare(a, b);
  const chosen =
    only === undefined
      ? rankWithOthers(found, isOther, order, query)
      : Iterator.from(only).filter((path) => visits[path]! > 0);
  return new Map(
    Array.from(chosen, (path) => {
      const measures = {
        visits: visits[path]!,
        allVisits,
        pageviews: hasViews ? counts.pageviews(path) : 0,
        uniqueKnown: ends.over(path),
        bounced: ends.bounced(path),
        conversions: conversions[path]!,
        ...(amounts?.of(path, conversions[path]!) ?? unknownAmount),
      };
      return [path, figuresOf<"entries" | "exits">(query.list, query, measures)] as const;
    }),
  );
}

/** By path: how many of the visits that begin or end there reached the goal, and their amounts, if they are asked for. */
interface ReachedFrom {
  readonly conversions: Uint32Array;
  readonly amounts: VisitAmounts | undefined;
}

function reachedFrom(
  query: EntriesQuery,
  { groups, groupOf }: ValueGroups,
  context: QueryContext,
): ReachedFrom {
  const { list, goal, period, metrics, filters } = query;
  const conversions = new Uint32Array(groups);
  if (goal === undefined) return { conversions, amounts: undefined };
  const reached = visitsThatReached(goal, period, context);
  const amounts = metrics?.includes(amountMetric) ? VisitAmounts.of(goal, query, context) : undefined;
  const wanted = list === "entries" ? visitFlag.entry : visitFlag.exit;
  visitSelected(query, context, (block) => {
    const [flags, ids, visits] = [
      selectedVisitFlags(block),
      selectedIds(block, "path"),
      selectedVisits(block),
    ];
    for (let at = 0; at < block.count; at++) {
      if ((flags[at]! & wanted) === 0 || !reached.has(visits[at]!)) continue;
      conversions[ids[at]!]!++;
      amounts?.addVisit(visits[at]!, ids[at]!);
    }
  });
  if (filters.length > 0) return { conversions, amounts };
  const addFacts = (path: number, visits: number) => (conversions[path]! += visits);
  addValueConversions(goal, { of: list, groupOf }, period, { addFacts }, context);
  return { conversions, amounts };
}
