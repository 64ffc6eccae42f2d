/** Groups of values, by which visits are counted. */
import type { LabelKind } from "../../facts/grouped-visits.ts";
import type { Grouping } from "../counts/page-counts.ts";
import type { GroupsOf } from "../rows/block.ts";

/** How the values of a dimension are grouped. */
export interface ValueGroups extends Grouping {
  readonly groupsOf: GroupsOf;
  /** Whether no visit has two values of one group, so that sums by value tell its distinct visits. */
  readonly isExact: boolean;
  /** The labels that values of a group share; undefined if each value is in a group of its own. */
  readonly labels: LabelKind | undefined;
}
