/** Counts the page views of a question by group of one dimension's values: from rollups what is in them, the rest row by row. */
import { dimensions, type Dimension } from "../core/dimension.ts";
import type { Selection } from "../core/query.ts";
import type { VisitorFlag } from "../store/row-class.ts";
import type { ReadSite } from "../store/read-site.ts";
import { countFlag, type Counts } from "./count.ts";
import { planOf, uniqueOf } from "./plan.ts";
import { blockIds } from "./block.ts";
import { blocksOf } from "./select.ts";
import type { Work } from "./work.ts";

export interface Grouping {
  /** Index of the dimension. */
  readonly dimension: number;
  readonly groups: number;
  /** The group of each of its values. */
  readonly ofValue: Uint32Array;
  /** The group of each of the first `ids` ids of its column. */
  readonly ofColumn: Uint32Array;
  readonly ids: number;
  /** Who is a visitor of a group. */
  readonly visitor: VisitorFlag;
}

/** Returns the visitors of all selected page views by another definition, `base`; 0 without it. */
export function tally(
  counts: Counts,
  site: ReadSite,
  query: Selection,
  { dimension, groups, ofValue, ofColumn, ids, visitor }: Grouping,
  work: Work,
  base?: VisitorFlag,
): number {
  const { column } = dimensions[dimension] as Dimension;
  const { read, added } = planOf(site, query, dimension, visitor, work);
  let visitors = 0;
  counts.begin(ids, ofColumn, groups, visitor);
  for (const block of blocksOf(site, read, query.filters, work)) {
    counts.add(block, blockIds(block, column));
    if (base !== undefined) visitors += countFlag(block, base);
  }
  counts.end();
  for (const part of added) {
    work.entriesAdded += counts.addRollup(part, ofValue);
    if (base !== undefined) visitors += uniqueOf(part);
  }
  return visitors;
}
