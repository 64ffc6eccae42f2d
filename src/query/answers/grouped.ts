/** The values of a dimension as the groups of a list, and its answer: a row for each group. */
import {
  dimensions,
  listedDimensions,
  otherLabel,
  type ColumnName,
  type ListedDimension,
} from "../../core/questions/dimension.ts";
import type { EntriesQuery, ListQuery, TimeQuery } from "../../core/questions/query.ts";
import {
  columnOf,
  dimensionIndex,
  isDerived,
  visitDimension,
} from "../../core/questions/stored-dimension.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { QueryContext } from "../cache/context.ts";
import type { PageCounts, PageOfCounts } from "../counts/page-counts.ts";
import { rowsOf, type FiguresOf } from "../counts/row.ts";
import { idsOf } from "../names/derived.ts";
import { groupsOf, labelKindOf, labelsOf, type Labels } from "../names/labels.ts";
import { blockRows, selectedIds, type Block, type GroupsOf } from "../rows/block.ts";
import type { ValueGroups } from "../visits/value-groups.ts";
import { groupsOfValues, type VisitGroups } from "../visits/visit-ends.ts";
import { isOther } from "./rank.ts";

/** The parts of a list that are the same in every period: the dimension, its values, and how they are put into groups. */
export interface Grouped {
  readonly dimension: ListedDimension;
  readonly labels: Labels;
  readonly values: ValueGroups;
  readonly byValue: VisitGroups;
}

/** How the groups of a list are counted in one period. */
export interface Counting {
  readonly context: QueryContext;
  readonly page: PageCounts;
  /** The groups whose figures are asked for; undefined for those that the query's offset and limit select. */
  readonly only: Iterable<number> | undefined;
}

type GroupedQuery = ListQuery | EntriesQuery | TimeQuery;
type NamesOf<Q extends GroupedQuery> = Q extends ListQuery
  ? { readonly [F in ListedDimension["field"]]?: string }
  : { readonly path: string };

/** Returns what answers a list. `figuresIn` returns the figures of groups in the period of the query. */
export function answering<Q extends GroupedQuery, F extends object>(
  figuresIn: (query: Q, grouped: Grouped, counting: Counting) => FiguresOf<F>,
) {
  /** `pages`: the counts that this question shares with the others of its page. */
  return (query: Q, context: QueryContext, pages: PageOfCounts) => {
    const grouped = groupedBy(context.site, query);
    const { dimension, labels } = grouped;
    return rowsOf(query, {
      count: (period, only) => {
        const page = (only === undefined ? pages.own : pages.compared) as PageCounts;
        return figuresIn({ ...query, period }, grouped, { context, page, only });
      },
      namesOf: (group) => {
        const value = isOther(group) ? otherLabel : labels.of(group);
        return { [dimension.field]: value } as unknown as NamesOf<Q>;
      },
      isOther,
    });
  };
}

/** Lists of pages by time, of entries and of exits group paths, whatever else they count. */
export function groupedBy(site: SiteWithFacts, query: GroupedQuery): Grouped {
  const dimension = (listedDimensions.find(({ list }) => list === query.list) ??
    dimensions[dimensionIndex.path]) as ListedDimension;
  const labelling = { grouped: false, locale: false, ...query };
  const name = query.by === "visit" ? visitDimension(dimension.name) : dimension.name;
  const column = columnOf(name) as ColumnName;
  const { dictionary, ofColumn: ids } = idsOf(site, name);
  const groups = groupsOf(dictionary, name, labelling);
  const labels = labelsOf(groups, dictionary);
  const ofColumn =
    ids === undefined || column === "path" ? groups.ofId : groups.ofTuples(ids, site.tuples[column].size);
  const values = {
    column,
    groups: labels.size,
    of: isDerived(name) ? name : dimensionIndex[name],
    groupOf: isDerived(name) ? ofColumn : groups.ofId,
    ofColumn,
    // The id of a path is its group.
    groupsOf:
      column === "path" ? (block: Block) => selectedIds(block, column) : groupsByColumn(column, ofColumn),
    // By visit, a source is one value. A channel may be that of two values: of a name, and of one not kept apart.
    isExact: !isDerived(name) && (groups.isValues || column === "origin"),
    labels: labelKindOf(name, labelling),
  };
  return { dimension, labels, values, byValue: groupsOfValues(values) };
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
