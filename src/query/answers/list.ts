/** Answers the list of one dimension: its values with visitors, page views, bounce rate and time. */
import {
  emptyOf,
  listedDimensions,
  otherLabel,
  type ColumnName,
  type ListedDimension,
} from "../../core/questions/dimension.ts";
import {
  columnOf,
  dimensionIndex,
  isDerived,
  visitDimension,
} from "../../core/questions/stored-dimension.ts";
import { rowKindOf, type Measures, type RowFigures } from "../../core/questions/metric.ts";
import type { ListRow } from "../../core/questions/answer.ts";
import type { ListQuery } from "../../core/questions/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { blockRows, selectedDurations, selectedFlags, selectedIds, type GroupsOf } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";
import { exactQuantiles, type AddRows } from "../quantiles/walked-quantiles.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { noVisits, VisitCounts, visitNeeds } from "../visits/visit-counts.ts";
import { groupsOfValues, type VisitGroups } from "../visits/visit-ends.ts";
import { idsOf } from "../names/derived.ts";
import { groupsOf, labelKindOf, labelsOf, type Labels } from "../names/labels.ts";
import type { Grouping, PageCounts, PageOfCounts } from "../counts/page-counts.ts";
import { isOther, rankWithOthers } from "./rank.ts";
import { figuresOf, rowsOf, type FiguresOf } from "../counts/row.ts";

/** `pages`: the counts that this question shares with the others of its page. */
export function answerList(
  site: SiteWithFacts,
  query: ListQuery,
  context: QueryContext,
  pages: PageOfCounts,
): ListRow[] {
  const grouped = groupedBy(site, query);
  const { dimension, labels } = grouped;
  return rowsOf(query, {
    count: (period, only) => {
      const page = (only === undefined ? pages.own : pages.compared) as PageCounts;
      return figuresIn(site, { ...query, period }, grouped, { context, page, only });
    },
    namesOf: (group) => ({ [dimension.field]: isOther(group) ? otherLabel : labels.of(group) }),
    isOther,
  });
}

/** The parts of a list that are the same in every period: the dimension, its values, and how they are put into groups. */
interface Grouped {
  readonly dimension: ListedDimension;
  readonly labels: Labels;
  readonly grouping: Grouping;
  readonly groupsOf: GroupsOf;
  readonly byValue: VisitGroups;
}

function groupedBy(site: SiteWithFacts, query: ListQuery): Grouped {
  const dimension = listedDimensions.find(({ list }) => list === query.list) as ListedDimension;
  const name = query.by === "visit" ? visitDimension(dimension.name) : dimension.name;
  const column = columnOf(name) as ColumnName;
  const { dictionary, ofColumn: ids } = idsOf(site, name);
  const groups = groupsOf(dictionary, name, query);
  const labels = labelsOf(groups, dictionary);
  const ofColumn =
    ids === undefined || column === "path" ? groups.ofId : groups.ofTuples(ids, site.tuples[column].size);
  const byColumn = groupsByColumn(column, ofColumn);
  const byValue = groupsOfValues({
    groups: labels.size,
    of: isDerived(name) ? name : dimensionIndex[name],
    groupOf: isDerived(name) ? ofColumn : groups.ofId,
    groupsOf: byColumn,
    // By visit, a source is one value. A channel may be that of two values: of a name, and of one not kept apart.
    isExact: !isDerived(name) && (groups.isValues || column === "origin"),
    labels: labelKindOf(name, query),
  });
  const grouping = { name, groups: labels.size, ofValue: groups.ofId, ofColumn };
  return { dimension, labels, grouping, groupsOf: byColumn, byValue };
}

/** A list whose values are counted by group. */
export interface CountedList {
  readonly dimension: ListedDimension;
  readonly column: ColumnName;
  /** The group of each id of the column. */
  readonly ofColumn: Uint32Array;
  readonly labels: Labels;
  /** undefined if no visit has to be counted. */
  readonly visits: VisitCounts | undefined;
}

/** Counts the values of a list into this thread's counts by group, which stay until the next list is counted. */
export function countList(
  site: SiteWithFacts,
  query: ListQuery,
  context: QueryContext,
  page: PageCounts,
): CountedList {
  const grouped = groupedBy(site, query);
  const { dimension, labels, grouping } = grouped;
  const visits = countGroups(site, query, grouped, context, page);
  return {
    dimension,
    column: columnOf(grouping.name) as ColumnName,
    ofColumn: grouping.ofColumn,
    labels,
    visits,
  };
}

function countGroups(
  site: SiteWithFacts,
  query: ListQuery,
  { grouping, byValue }: Grouped,
  context: QueryContext,
  page: PageCounts,
): VisitCounts | undefined {
  page.count(counts, grouping);
  const needs = visitNeeds(query, query.summary);
  const isFirst = page.visitorOf(columnOf(grouping.name) as ColumnName) === rowFlag.first;
  return needs && VisitCounts.of(site, query, needs, byValue, context, isFirst ? counts : undefined);
}

/** How the groups of a list are counted in one period. */
export interface Counting {
  readonly context: QueryContext;
  readonly page: PageCounts;
  /** The groups whose figures are asked for; undefined for those that the query's offset and limit select. */
  readonly only: Iterable<number> | undefined;
}

/** Returns the figures of groups in the period of the query. */
function figuresIn(
  site: SiteWithFacts,
  query: ListQuery,
  grouped: Grouped,
  { context, page, only }: Counting,
): FiguresOf<RowFigures<"list" | "pages">> {
  const visits = countGroups(site, query, grouped, context, page);
  const { found, visitors, pageviews, all } = sumsOf(grouped, visits, page);
  const { compare } = grouped.labels;
  const order = (a: number, b: number) =>
    visitors[b]! - visitors[a]! || pageviews[b]! - pageviews[a]! || compare(a, b);
  const chosen =
    only === undefined
      ? rankWithOthers(found, isOther, order, query)
      : Array.from(only).filter((group) => pageviews[group]! > 0);
  const medianOf = query.metrics?.includes("time_median")
    ? medians(site, query, grouped.groupsOf, chosen, context)
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

/** Returns the groups of a block's rows by their ids in a column. */
function groupsByColumn(column: ColumnName, ofColumn: Uint32Array): GroupsOf {
  const groups = new Uint32Array(blockRows);
  return (block) => {
    const ids = selectedIds(block, column);
    for (let at = 0; at < block.count; at++) groups[at] = ofColumn[ids[at]!]!;
    return groups;
  };
}

/** Returns a function that gives the median of the known times of a chosen group, in milliseconds. */
function medians(
  site: SiteWithFacts,
  query: ListQuery,
  groupsOf: GroupsOf,
  chosen: readonly number[],
  context: QueryContext,
): (group: number) => number {
  const knownOf = Uint32Array.from({ length: counts.groups }, (_, group) => counts.known(group));
  const walk = (addRows: AddRows) =>
    visitSelected(site, query, context, (block) =>
      addRows(groupsOf(block), selectedFlags(block), selectedDurations(block), block.count),
    );
  const quantiles = exactQuantiles(knownOf, chosen, [0.5], walk, context.copiedMax);
  return (group) => quantiles(group)[0]!;
}

/** Adds up the counts of all groups, and finds those that have a row. */
function sumsOf({ dimension, labels, grouping }: Grouped, visits: VisitCounts | undefined, page: PageCounts) {
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
  const ofPages = columnOf(grouping.name) === "path";
  return { found, visitors, pageviews, all: allOf(ofPages, visits, page) };
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
