/** Answers the list of one dimension: its values with visitors, page views, bounce rate and time. */
import { dimensionIndex, dimensions, emptyOf, type Dimension } from "../../core/dimension.ts";
import type { ListQuery, ListRow } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { columnMembers } from "../../store/state/site.ts";
import type { ReadDictionary } from "../../store/mirror/read-site.ts";
import { QueryContext } from "../cache/context.ts";
import { groupCounts as counts } from "../counts/count.ts";
import { groupsOf, labelsOf, type Labels } from "../names/labels.ts";
import { columnsOfQuestions, PageCounts } from "../counts/page-counts.ts";
import { rankWithOthers } from "./rank.ts";
import { listRow } from "../counts/row.ts";

/** `page`: the counts that this question shares with the others of its page. */
export function answerList(
  site: SiteWithFacts,
  query: ListQuery,
  context = new QueryContext(),
  page = new PageCounts(site, query, context, columnsOfQuestions([query])),
): ListRow[] {
  const dimension = dimensions.find(({ list }) => list === query.list) as Dimension;
  const { column, name } = dimension;
  const index = dimensionIndex[name];
  const dictionary = site.dictionaries[index] as ReadDictionary;
  const groups = groupsOf(dictionary, name, query);
  const labels = labelsOf(groups, dictionary);
  const ofColumn =
    column === "path"
      ? groups.ofId
      : groups.ofTuples(site.tuples[column], columnMembers[column].indexOf(index));
  page.count(counts, {
    dimension: index,
    groups: labels.size,
    ofValue: groups.ofId,
    ofColumn,
  });
  return pageOf(query, dimension, labels, column === "path" ? page.visitors() : undefined);
}

/** `allVisitors`: the base of the visitors' share, if it is not the sum of the groups. */
function pageOf(query: ListQuery, dimension: Dimension, labels: Labels, allVisitors?: number): ListRow[] {
  const emptyRow = emptyOf(dimension)?.row ?? true;
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
    if (emptyRow || group === overflowId || labels.of(group) !== "") found.push(group);
  }
  const order = (a: number, b: number) =>
    Number(a === overflowId) - Number(b === overflowId) ||
    (visitors[b] as number) - (visitors[a] as number) ||
    (pageviews[b] as number) - (pageviews[a] as number) ||
    labels.compare(a, b);
  const all = { allVisitors: allVisitors ?? visitorsOfAll, allPageviews: pageviewsOfAll };
  return rankWithOthers(found, (group) => group === overflowId, order, query).map((group) => {
    const label = group === overflowId ? undefined : labels.of(group);
    return listRow(dimension, label, { ...counts.of(group), ...all }, query.summary);
  });
}
