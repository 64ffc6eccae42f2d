/** Counts the distinct visits of each value of a dimension, where nothing is filtered. */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { Rollup } from "../../facts/entries.ts";
import { firstThat } from "../../lib/search.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { factsAndRows, type FactsPart, type RowsPart } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { DistinctVisits } from "./distinct-visits.ts";
import { addValueVisits } from "./month-visits.ts";
import { partsOf } from "./page-counts.ts";
import { SharedVisits } from "./shared-visits.ts";
import type { ValueGroups } from "./value-groups.ts";

export function valueVisits(
  site: SiteWithFacts,
  period: Period,
  { groups, of, groupOf, groupsOf }: ValueGroups,
  context: QueryContext,
): DistinctVisits {
  const { facts, rows } = factsAndRows(site, { period, filters: [] }, dayMs);
  const shared = SharedVisits.of(site, period, context);
  const distinct = new DistinctVisits(groups, shared);
  const left: RowsPart[] = [...rows];
  for (const part of facts) {
    const rollup = part.facts.rollup(of, part.whole ? "whole" : "day");
    if (rollup === undefined) {
      left.push(part);
      continue;
    }
    context.factsAdded += addFacts(distinct, part, rollup, groupOf);
    const ofShared = shared.rowsOf(part.chunk, part.facts.visits(), part.period);
    if (part.whole) distinct.addShared(part.chunk, ofShared, groupsOf);
    else for (const ofDay of byDay(part.chunk, ofShared)) distinct.addShared(part.chunk, ofDay, groupsOf);
  }
  visitLeft(site, left, [], context, (block) => distinct.addBlock(block, groupsOf(block)));
  addValueVisits(site, period, { groups, of, groupOf, groupsOf }, distinct, context);
  return distinct;
}

/** Adds the entries of a part, and returns how many they were. */
function addFacts(distinct: DistinctVisits, part: FactsPart, rollup: Rollup, groupOf: Uint32Array): number {
  const { ends, ids, distinctVisits, visitsOfPart } = rollup;
  const [first, end] = partsOf(part);
  const from = first === 0 ? 0 : ends[first - 1]!;
  const to = end === 0 ? 0 : ends[end - 1]!;
  for (let entry = from; entry < to; entry++)
    distinct.addFacts(groupOf[ids[entry]!]!, distinctVisits[entry]!);
  for (let at = first; at < end; at++) distinct.all += visitsOfPart[at]!;
  return to - from;
}

/** Divides rows of a chunk, which are by time, into those of each UTC day. */
function* byDay({ time, monthMs }: Chunk, rows: Uint32Array): Generator<Uint32Array> {
  const dayOf = (at: number) => Math.floor((monthMs + time[rows[at]!]!) / dayMs);
  for (let from = 0; from < rows.length;) {
    const to = firstThat(from + 1, rows.length, (at) => dayOf(at) > dayOf(from));
    yield rows.subarray(from, to);
    from = to;
  }
}
