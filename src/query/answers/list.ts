/** Answers the list of one dimension: its values with visitors, page views, bounce rate and time. */
import { emptyOf } from "../../core/questions/dimension.ts";
import { rowKindOf, type Measures, type RowFigures } from "../../core/questions/metric.ts";
import type { ListQuery } from "../../core/questions/query.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedDurations, selectedFlags, type GroupsOf } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";
import { exactQuantiles, type AddRows } from "../quantiles/walked-quantiles.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { noVisits, VisitCounts, visitNeeds } from "../visits/visit-counts.ts";
import type { PageCounts } from "../counts/page-counts.ts";
import { answering, groupedBy, type Counting, type Grouped } from "./grouped.ts";
import { isOther, rankWithOthers } from "./rank.ts";
import { figuresOf, type FiguresOf } from "../counts/row.ts";

export const answerList = answering(figuresIn);

/** A list whose values are counted by group. */
export interface CountedList extends Grouped {
  /** undefined if no visit has to be counted. */
  readonly visits: VisitCounts | undefined;
}

/** Counts the values of a list into this thread's counts by group, which stay until the next list is counted. */
export function countList(query: ListQuery, context: QueryContext, page: PageCounts): CountedList {
  const grouped = groupedBy(context.site, query);
  return { ...grouped, visits: countGroups(query, grouped, context, page) };
}

function countGroups(
  query: ListQuery,
  { values, byValue }: Grouped,
  context: QueryContext,
  page: PageCounts,
): VisitCounts | undefined {
  page.count(counts, values);
  const needs = visitNeeds(query, query.summary);
  const isFirst = page.visitorOf(values.column) === rowFlag.first;
  return needs && VisitCounts.of(query, needs, byValue, context, isFirst ? counts : undefined);
}

/** Returns the figures of groups in the period of the query. */
function figuresIn(
  query: ListQuery,
  grouped: Grouped,
  { context, page, only }: Counting,
): FiguresOf<RowFigures<"list" | "pages">> {
  const visits = countGroups(query, grouped, context, page);
  const { found, visitors, pageviews, all } = sumsOf(grouped, visits, page);
  const { compare } = grouped.labels;
  const order = (a: number, b: number) =>
    visitors[b]! - visitors[a]! || pageviews[b]! - pageviews[a]! || compare(a, b);
  const chosen =
    only === undefined
      ? rankWithOthers(found, isOther, order, query)
      : Array.from(only).filter((group) => pageviews[group]! > 0);
  const medianOf = query.metrics?.includes("time_median")
    ? medians(query, grouped.values.groupsOf, chosen, context)
    : undefined;
  return new Map(
    chosen.map((group) => {
      const figures = figuresOf<"list" | "pages">(rowKindOf(query.list), query, {
        ...counts.of(group),
        ...all,
        visitors: visitors[group]!,
        ...(visits?.of(group) ?? noVisits),
        medianMs: medianOf?.(group) ?? 0,
      });
      return [group, figures] as const;
    }),
  );
}

/** Returns a function that gives the median of the known times of a chosen group, in milliseconds. */
function medians(
  query: ListQuery,
  groupsOf: GroupsOf,
  chosen: readonly number[],
  context: QueryContext,
): (group: number) => number {
  const knownOf = Uint32Array.from({ length: counts.groups }, (_, group) => counts.known(group));
  const walk = (addRows: AddRows) =>
    visitSelected(query, context, (block) =>
      addRows(groupsOf(block), selectedFlags(block), selectedDurations(block), block.count),
    );
  const quantiles = exactQuantiles(knownOf, chosen, [0.5], walk, context.copiedMax);
  return (group) => quantiles(group)[0]!;
}

/** Adds up the counts of all groups, and finds those that have a row. */
function sumsOf({ dimension, labels, values }: Grouped, visits: VisitCounts | undefined, page: PageCounts) {
  const emptyRow = emptyOf(dimension)?.row ?? true;
  const found: number[] = [];
  const visitors = new Float64Array(counts.groups);
  const pageviews = new Float64Array(counts.groups);
  for (let group = 0; group < counts.groups; group++) {
    const views = counts.pageviews(group);
    if (views === 0) continue;
    pageviews[group] = views;
    visitors[group] = visits?.visitorsOf(group) ?? counts.visitors(group);
    if (emptyRow || isOther(group) || labels.of(group) !== "") found.push(group);
  }
  return { found, visitors, pageviews, all: allOf(values.column === "path", visits, page) };
}

/** Returns the measures of all groups that were counted last, together. `ofPages`: whether these are pages. */
export function allOf(
  ofPages: boolean,
  visits: VisitCounts | undefined,
  page: PageCounts,
): Pick<Measures, "allVisitors" | "allPageviews" | "allTotalMs" | "allVisits"> {
  let [visitors, allPageviews, allTotalMs] = [0, 0, 0];
  for (let group = 0; group < counts.groups; group++) {
    visitors += visits?.visitorsOf(group) ?? counts.visitors(group);
    allPageviews += counts.pageviews(group);
    if (counts.detail === "all") allTotalMs += counts.totalMs(group);
  }
  // Everybody who sees a page first is a visitor of its row, and of all pages only once.
  const allVisitors = visits?.ofAll.visitors ?? (ofPages ? page.visitors() : visitors);
  return { allVisitors, allPageviews, allTotalMs, allVisits: visits?.ofAll.visits ?? 0 };
}
