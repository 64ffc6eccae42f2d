/** The pages of a website as the groups of an answer: a group is the id of a path. */
import { otherLabel } from "../../core/questions/dimension.ts";
import type { EntriesQuery, TimeQuery } from "../../core/questions/query.ts";
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";
import type { QueryContext } from "../cache/context.ts";
import type { PageCounts, PageOfCounts } from "../counts/page-counts.ts";
import { rowsOf, type FiguresOf } from "../counts/row.ts";
import { groupsOf, labelsOf, type Labels } from "../names/labels.ts";
import { selectedIds } from "../rows/block.ts";
import { groupsOfValues, type VisitGroups } from "../visits/visit-ends.ts";
import type { Counting } from "./list.ts";
import { isOther } from "./rank.ts";

export interface PageGroups {
  readonly labels: Labels;
  /** By id of a path: its group. */
  readonly groupOf: Uint32Array;
  readonly byPage: VisitGroups;
  readonly namesOf: (path: number) => { readonly path: string };
}

/** Returns what answers a list of pages. `figuresIn` returns the figures of pages in the period of the query. */
export function answering<Q extends EntriesQuery | TimeQuery, F extends object>(
  figuresIn: (site: SiteWithFacts, query: Q, groups: PageGroups, counting: Counting) => FiguresOf<F>,
) {
  /** `pages`: the counts that this question shares with the others of its page. */
  return (site: SiteWithFacts, query: Q, context: QueryContext, pages: PageOfCounts) => {
    const groups = pageGroups(site);
    return rowsOf(query, {
      count: (period, only) => {
        const page = (only === undefined ? pages.own : pages.compared) as PageCounts;
        return figuresIn(site, { ...query, period }, groups, { context, page, only });
      },
      namesOf: groups.namesOf,
      isOther,
    });
  };
}

function pageGroups(site: SiteWithFacts): PageGroups {
  const paths = pathDictionary(site);
  const groups = groupsOf(paths, "path", { grouped: false, locale: false });
  const labels = labelsOf(groups, paths);
  const { ofId: groupOf } = groups;
  const byPage = groupsOfValues({
    groups: labels.size,
    of: dimensionIndex.path,
    groupOf,
    groupsOf: (block) => selectedIds(block, "path"),
    isExact: true,
  });
  const namesOf = (path: number) => ({ path: isOther(path) ? otherLabel : labels.of(path) });
  return { labels, groupOf, byPage, namesOf };
}
