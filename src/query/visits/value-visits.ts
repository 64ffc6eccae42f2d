/** Counts the visits of each value of a dimension, where nothing is filtered. */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";
import type { Rollup } from "../../facts/entries.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { firstThat } from "../../lib/search.ts";
import type { QueryContext } from "../cache/context.ts";
import type { BlockRows } from "../rows/block.ts";
import { factsAndRows, partsOf, type RowsPart } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { addValueVisits } from "./month-visits.ts";
import { chunkRollup } from "../counts/chunk-rollup.ts";
import { SharedVisits } from "./shared-visits.ts";
import type { ValueGroups } from "./value-groups.ts";
import { VisitTally, type VisitDetail } from "./visit-tally.ts";

export function valueVisits(
  site: SiteWithFacts,
  period: Period,
  values: ValueGroups,
  detail: VisitDetail,
  context: QueryContext,
): VisitTally {
  const { groups, of, groupsOf } = values;
  const { facts, rows } = factsAndRows(site, { period, filters: [] }, dayMs);
  const shared = SharedVisits.of(site, period, context);
  const tally = new VisitTally(groups, shared, detail);
  const left: RowsPart[] = [...rows];
  for (const part of facts) {
    const rollup = chunkRollup(site, part, of);
    const parts = partsOf(part);
    if (rollup === undefined || !tellsVisits(rollup, values, parts)) {
      left.push(part);
      continue;
    }
    context.factsAdded += tally.addRollup(rollup, values.groupOf, ...parts);
    const { chunk, rows: shares } = shared.rowsOf(part.chunk, part.facts, part.period);
    if (part.whole) tally.addShared(chunk, shares, groupsOf);
    else for (const ofDay of byDay(chunk, shares)) tally.addShared(chunk, ofDay, groupsOf);
  }
  visitLeft(site, left, [], context, (block) => tally.addBlock(block, groupsOf));
  addValueVisits(site, period, values, tally, context);
  return tally;
}

/**
 * Returns whether sums by value tell the distinct visits of groups: no visit of the parts has two values of one group. None
 * has if each value is in a group of its own, or if each visit has only one value, and so the sums add up to all visits.
 */
function tellsVisits(
  { ends, ids, distinctVisits, visitsOfPart }: Rollup,
  { groupOf, isExact }: ValueGroups,
  [first, end]: readonly [first: number, end: number],
): boolean {
  if (isExact) return true;
  for (let part = first; part < end; part++) {
    const from = part === 0 ? 0 : ends[part - 1]!;
    const groups = new Set<number>();
    let sum = 0;
    for (let entry = from; entry < ends[part]!; entry++) {
      groups.add(groupOf[ids[entry]!]!);
      sum += distinctVisits[entry]!;
    }
    if (groups.size < ends[part]! - from && sum > visitsOfPart[part]!) return false;
  }
  return true;
}

/** Divides rows of a chunk, which are by time, into those of each UTC day. */
function* byDay({ time, monthMs }: BlockRows, rows: Uint32Array): Generator<Uint32Array> {
  const dayOf = (at: number) => Math.floor((monthMs + time[rows[at]!]!) / dayMs);
  for (let from = 0; from < rows.length;) {
    const to = firstThat(from + 1, rows.length, (at) => dayOf(at) > dayOf(from));
    yield rows.subarray(from, to);
    from = to;
  }
}
