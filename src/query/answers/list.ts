/** Answers the list of one dimension: its values with visitors, page views, bounce rate and time. */
import {
  columnOf,
  dimensionIndex,
  emptyOf,
  isDerived,
  listedDimensions,
  visitDimension,
  type ColumnName,
  type ListedDimension,
} from "../../core/dimension.ts";
import type { MetricName } from "../../core/metric.ts";
import type { ListQuery, ListRow, NamedRow } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { QueryContext } from "../cache/context.ts";
import { blockRows, selectedDurations, selectedFlags, selectedIds, type GroupsOf } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";
import { Durations, quantilesOf } from "../quantiles/quantile.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { VisitCounts, visitNeeds } from "../counts/visit-counts.ts";
import { groupsOfValues } from "../counts/visit-ends.ts";
import { idsOf } from "../names/derived.ts";
import { groupsOf, labelsOf, type Labels } from "../names/labels.ts";
import { columnsOfQuestions, PageCounts } from "../counts/page-counts.ts";
import { rankWithOthers } from "./rank.ts";
import { listRow, namedRow, withGoal, type ListMeasures } from "../counts/row.ts";

/** Makes a row; `label`: undefined for the values that are not kept apart. */
type RowMaker<R> = (label: string | undefined, measures: ListMeasures) => R;

/** `page`: the counts that this question shares with the others of its page. */
export function answerList(site: SiteWithFacts, query: ListQuery, ...rest: Shared): ListRow[] {
  const dimension = dimensionOf(query);
  return rowsOf(
    site,
    query,
    (label, measures) => withGoal(query, listRow(dimension, label, measures, query.summary), measures),
    ...rest,
  );
}

/** Answers the list with the metrics that are asked for by name. */
export function answerNamed(
  site: SiteWithFacts,
  query: ListQuery,
  metrics: readonly MetricName[],
  ...rest: Shared
): NamedRow[] {
  const dimension = dimensionOf(query);
  return rowsOf(site, query, (label, measures) => namedRow(dimension, label, metrics, measures), ...rest);
}

type Shared = readonly [context?: QueryContext, page?: PageCounts];

function dimensionOf(query: ListQuery): ListedDimension {
  return listedDimensions.find(({ list }) => list === query.list) as ListedDimension;
}

function rowsOf<R>(
  site: SiteWithFacts,
  query: ListQuery,
  makeRow: RowMaker<R>,
  context = new QueryContext(),
  page = new PageCounts(site, query, context, columnsOfQuestions([query])),
): R[] {
  const { column, ofColumn, ...counted } = countList(site, query, context, page);
  const allVisitors = counted.visits?.ofAll.visitors ?? (column === "path" ? page.visitors() : undefined);
  const medianOf = query.metrics?.includes("time_median")
    ? medians(site, query, groupsByColumn(column, ofColumn), context)
    : undefined;
  return pageOf({ query, ...counted, allVisitors, medianOf, makeRow });
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
  const dimension = dimensionOf(query);
  const name = query.by === "visit" ? visitDimension(dimension.name) : dimension.name;
  const column = columnOf(name) as ColumnName;
  const { dictionary, ofColumn: ids } = idsOf(site, name);
  const groups = groupsOf(dictionary, name, query);
  const labels = labelsOf(groups, dictionary);
  const ofColumn =
    ids === undefined || column === "path" ? groups.ofId : groups.ofTuples(ids, site.tuples[column].size);
  page.count(counts, { name, groups: labels.size, ofValue: groups.ofId, ofColumn });
  const needs = visitNeeds(query, query.summary);
  const byValue = groupsOfValues(
    {
      groups: labels.size,
      of: isDerived(name) ? name : dimensionIndex[name],
      groupOf: isDerived(name) ? ofColumn : groups.ofId,
      groupsOf: groupsByColumn(column, ofColumn),
    },
    // By visit, a source is one value. A channel may be that of two values: of a name, and of one not kept apart.
    !isDerived(name) && (groups.isValues || column === "origin"),
  );
  const visits = needs && VisitCounts.of(site, query, needs, byValue, context);
  return { dimension, column, ofColumn, labels, visits };
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

/** Returns a function that gives the median of the known times of a group, in milliseconds. */
function medians(
  site: SiteWithFacts,
  query: ListQuery,
  groupsOf: GroupsOf,
  context: QueryContext,
): (group: number) => number {
  const known = Uint32Array.from({ length: counts.groups }, (_, group) => counts.known(group));
  const durations = new Durations(known);
  visitSelected(site, query, context, (block) =>
    durations.addRows(groupsOf(block), selectedFlags(block), selectedDurations(block), block.count),
  );
  return (group) => quantilesOf(durations.of(group), [0.5])[0] as number;
}

interface Listed<R> extends Pick<CountedList, "dimension" | "labels" | "visits"> {
  readonly makeRow: RowMaker<R>;
  readonly query: ListQuery;
  /** The base of the visitors' share, if it is not the sum of the groups. */
  readonly allVisitors: number | undefined;
  readonly medianOf: ((group: number) => number) | undefined;
}

function pageOf<R>({ query, dimension, labels, visits, medianOf, makeRow, ...base }: Listed<R>): R[] {
  const emptyRow = emptyOf(dimension)?.row ?? true;
  const found: number[] = [];
  const visitors = new Float64Array(counts.groups);
  const pageviews = new Float64Array(counts.groups);
  let pageviewsOfAll = 0;
  let visitorsOfAll = 0;
  let allTotalMs = 0;
  for (let group = 0; group < counts.groups; group++) {
    const views = counts.pageviews(group);
    if (views === 0) continue;
    pageviewsOfAll += views;
    pageviews[group] = views;
    allTotalMs += query.metrics === undefined ? 0 : counts.totalMs(group);
    visitorsOfAll += visitors[group] = visits?.visitorsOf(group) ?? counts.visitors(group);
    if (emptyRow || group === overflowId || labels.of(group) !== "") found.push(group);
  }
  const order = (a: number, b: number) =>
    Number(a === overflowId) - Number(b === overflowId) ||
    (visitors[b] as number) - (visitors[a] as number) ||
    (pageviews[b] as number) - (pageviews[a] as number) ||
    labels.compare(a, b);
  const all = {
    allVisitors: base.allVisitors ?? visitorsOfAll,
    allPageviews: pageviewsOfAll,
    allTotalMs,
    allVisits: visits?.ofAll.visits ?? 0,
  };
  return rankWithOthers(found, (group) => group === overflowId, order, query).map((group) => {
    const label = group === overflowId ? undefined : labels.of(group);
    return makeRow(label, {
      ...counts.of(group),
      ...all,
      visits: 0,
      conversions: 0,
      visitors: visitors[group] as number,
      ...visits?.of(group),
      medianMs: medianOf?.(group) ?? 0,
    });
  });
}
