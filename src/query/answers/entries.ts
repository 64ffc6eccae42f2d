/** Answers the lists of the pages that visits began with, and of those that they ended with so far. */
import type { RowFigures } from "../../core/questions/metric.ts";
import { amountMetric } from "../../core/questions/named-metric.ts";
import type { EntriesRow } from "../../core/questions/answer.ts";
import type { EntriesQuery } from "../../core/questions/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { visitFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { figuresOf, rowsOf, type FiguresOf } from "../counts/row.ts";
import { addValueConversions } from "../visits/month-conversions.ts";
import { unknownAmount, VisitAmounts } from "../visits/visit-amounts.ts";
import { VisitEnds } from "../visits/visit-ends.ts";
import { selectedIds, selectedVisitFlags, selectedVisits } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";
import { visitsThatReached } from "../rows/filters/targets.ts";
import type { Counting } from "./list.ts";
import { pageGroups, type PageGroups } from "./page-groups.ts";
import { isOther, rankWithOthers } from "./rank.ts";

export function answerEntries(site: SiteWithFacts, query: EntriesQuery, context: QueryContext): EntriesRow[] {
  const groups = pageGroups(site);
  return rowsOf(query, {
    count: (period, only) => figuresIn(site, { ...query, period }, groups, { context, only }),
    namesOf: groups.namesOf,
    isOther,
  });
}

/** Returns the figures of pages in the period of the query. */
function figuresIn(
  site: SiteWithFacts,
  query: EntriesQuery,
  { labels, byPage, groupOf }: PageGroups,
  { context, only }: Omit<Counting, "page">,
): FiguresOf<RowFigures<"entries" | "exits">> {
  const ends = VisitEnds.of(site, query, byPage, context);
  const visits = Uint32Array.from({ length: labels.size }, (_, path) =>
    query.list === "entries" ? ends.entries(path) : ends.exits(path),
  );
  const conversions = conversionsOf(site, query, { labels, groupOf }, context);
  const amounts = amountsOf(site, query, context);
  const found = Array.from(visits.keys()).filter((path) => visits[path]! > 0);
  const allVisits = found.reduce((sum, path) => sum + visits[path]!, 0);
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
        uniqueKnown: ends.over(path),
        bounced: ends.bounced(path),
        conversions: conversions[path]!,
        ...(amounts?.of(path, conversions[path]!) ?? unknownAmount),
      };
      return [path, figuresOf<"entries" | "exits">(query.list, query, measures)] as const;
    }),
  );
}

/** Returns how many of the visits that begin or end with each page reached the goal. */
function conversionsOf(
  site: SiteWithFacts,
  query: EntriesQuery,
  { labels, groupOf }: Pick<PageGroups, "labels" | "groupOf">,
  context: QueryContext,
): Uint32Array {
  const conversions = new Uint32Array(labels.size);
  if (query.goal === undefined) return conversions;
  const reached = visitsThatReached(site, query.goal, query.period, context);
  visitEdges(site, query, context, (visit, path) => {
    if (reached.has(visit)) conversions[path]!++;
  });
  if (query.filters.length > 0) return conversions;
  const groups = { of: query.list, groupOf };
  const addFacts = (path: number, visits: number) => (conversions[path]! += visits);
  addValueConversions(site, query.goal, groups, query.period, { addFacts }, context);
  return conversions;
}

/** Sums up the goal's amounts of the visits that begin or end with each page; undefined if they are not asked for. */
function amountsOf(
  site: SiteWithFacts,
  query: EntriesQuery,
  context: QueryContext,
): VisitAmounts | undefined {
  if (query.goal === undefined || query.metrics?.includes(amountMetric) !== true) return undefined;
  const amounts = VisitAmounts.of(site, query.goal, query, context);
  if (amounts !== undefined) visitEdges(site, query, context, (visit, path) => amounts.addVisit(visit, path));
  return amounts;
}

/** Calls `take` for each selected row that a visit begins or ends with, with the visit and the id of the path. */
function visitEdges(
  site: SiteWithFacts,
  query: EntriesQuery,
  context: QueryContext,
  take: (visit: number, path: number) => void,
): void {
  const wanted = query.list === "entries" ? visitFlag.entry : visitFlag.exit;
  visitSelected(site, query, context, (block) => {
    const [flags, ids, visits] = [
      selectedVisitFlags(block),
      selectedIds(block, "path"),
      selectedVisits(block),
    ];
    for (let at = 0; at < block.count; at++) if ((flags[at]! & wanted) !== 0) take(visits[at]!, ids[at]!);
  });
}
