/** The list of one dimension: its values with visitors, page views, bounce rate and time. */
import { dimensionIndex, dimensions, type Dimension } from "../core/dimension.ts";
import type { Filter, ListQuery, ListRow } from "../core/query.ts";
import { rowFlag } from "../store/chunk.ts";
import type { VisitorFlag } from "../store/row-class.ts";
import { overflowId } from "../store/dictionary.ts";
import { columnMembers } from "../store/site.ts";
import type { ReadDictionary, ReadSite } from "../store/read-site.ts";
import { counts } from "./count.ts";
import { groupsOf } from "./labels.ts";
import { isNegative } from "./mask.ts";
import { compareText, rank } from "./rank.ts";
import { listRow } from "./row.ts";
import { tally } from "./tally.ts";
import { Work } from "./work.ts";

const ofPages: ReadonlySet<string> = new Set(["path", "prop_name", "prop_value"]);

/** Visitors are first views of a page wherever a positive operator asks for a page or a property. */
export function visitorFlag(filters: readonly Filter[]): VisitorFlag {
  return filters.some((filter) => ofPages.has(filter.name) && !isNegative(filter))
    ? rowFlag.first
    : rowFlag.unique;
}

export function answerList(site: ReadSite, query: ListQuery, work = new Work()): ListRow[] {
  const dimension = dimensions.find(({ list }) => list === query.list) as Dimension;
  const { column, name } = dimension;
  const index = dimensionIndex[name];
  const dictionary = site.dictionaries[index] as ReadDictionary;
  const groups = groupsOf(dictionary, name, query);
  const visitor = visitorFlag(query.filters);
  const grouping = { dimension: index, groups: groups.labels.length, ofValue: groups.ofId };
  if (column === "path") {
    const pages = { ...grouping, ofColumn: groups.ofId, ids: dictionary.size, visitor: rowFlag.first };
    return pageOf(query, dimension, groups.labels, tally(counts, site, query, pages, work, visitor));
  }
  const tuples = site.tuples[column];
  const ofColumn = groups.ofTuples(tuples, columnMembers[column].indexOf(index));
  tally(counts, site, query, { ...grouping, ofColumn, ids: tuples.size, visitor }, work);
  return pageOf(query, dimension, groups.labels);
}

/** `allVisitors`: the base of the visitors' share, where it is not the sum of the groups. */
function pageOf(
  query: ListQuery,
  dimension: Dimension,
  labels: readonly string[],
  allVisitors?: number,
): ListRow[] {
  const { emptyRow } = dimension;
  const found: number[] = [];
  const visitors = new Float64Array(counts.groups);
  const pageviews = new Float64Array(counts.groups);
  let pageviewsOfAll = 0;
  let visitorsOfAll = 0;
  for (let group = 0; group < counts.groups; group++) {
    const views = counts.pageviews(group);
    if (views === 0) continue;
    pageviewsOfAll += views;
    pageviews[group] = views;
    visitorsOfAll += visitors[group] = counts.visitors(group);
    if (emptyRow || group === overflowId || labels[group] !== "") found.push(group);
  }
  const order = (a: number, b: number) =>
    Number(a === overflowId) - Number(b === overflowId) ||
    (visitors[b] as number) - (visitors[a] as number) ||
    (pageviews[b] as number) - (pageviews[a] as number) ||
    compareText(labels[a] as string, labels[b] as string);
  const all = { allVisitors: allVisitors ?? visitorsOfAll, allPageviews: pageviewsOfAll };
  return rank(found, order, query).map((group) => {
    const label = group === overflowId ? undefined : labels[group];
    return listRow(dimension, label, { ...counts.of(group), ...all }, query.summary);
  });
}
