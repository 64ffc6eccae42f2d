/** Groups of values, by which visits are counted. */
import type { RollupOf } from "../../facts/facts.ts";
import type { GroupsOf } from "../rows/block.ts";

/** How the values of a dimension are grouped: two values that a visit may have are never in one group. */
export interface ValueGroups {
  readonly groups: number;
  readonly of: RollupOf;
  /** The group of each value of the rollup. */
  readonly groupOf: Uint32Array;
  readonly groupsOf: GroupsOf;
}
