/** The pages of a website as the groups of an answer: a group is the id of a path. */
import { otherLabel } from "../../core/questions/dimension.ts";
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { pathDictionary } from "../../store/values/path-dictionary.ts";
import { groupsOf, labelsOf, type Labels } from "../names/labels.ts";
import { selectedIds } from "../rows/block.ts";
import { groupsOfValues, type VisitGroups } from "../visits/visit-ends.ts";
import { isOther } from "./rank.ts";

export interface PageGroups {
  readonly labels: Labels;
  /** By id of a path: its group. */
  readonly groupOf: Uint32Array;
  readonly byPage: VisitGroups;
  readonly namesOf: (path: number) => { readonly path: string };
}

export function pageGroups(site: SiteWithFacts): PageGroups {
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
