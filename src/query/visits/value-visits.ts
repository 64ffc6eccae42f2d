/** Counts the visits of each value of a dimension, where nothing is filtered. */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";
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
  { groups, of, groupOf, groupsOf }: ValueGroups,
  detail: VisitDetail,
  context: QueryContext,
): VisitTally {
  const { facts, rows } = factsAndRows(site, { period, filters: [] }, dayMs);
  const shared = SharedVisits.of(site, period, context);
  const tally = new VisitTally(groups, shared, detail);
  const left: RowsPart[] = [...rows];
  for (const part of facts) {
    const rollup = chunkRollup(site, part, of);
    if (rollup === undefined) {
      left.push(part);
      continue;
    }
    context.factsAdded += tally.addRollup(rollup, groupOf, ...partsOf(part));
    const { chunk, rows: shares } = shared.rowsOf(part.chunk, part.facts, part.period);
    if (part.whole) tally.addShared(chunk, shares, groupsOf);
    else for (const ofDay of byDay(chunk, shares)) tally.addShared(chunk, ofDay, groupsOf);
  }
  visitLeft(site, left, [], context, (block) => tally.addBlock(block, groupsOf));
  addValueVisits(site, period, { groups, of, groupOf, groupsOf }, tally, context);
  return tally;
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
