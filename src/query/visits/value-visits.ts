/** Counts the visits of each value of a dimension, where nothing is filtered. */
import { dayMs } from "../../core/hit.ts";
import type { Period } from "../../core/questions/query.ts";
import type { Rollup } from "../../facts/entries.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { firstThat } from "../../lib/search.ts";
import type { QueryContext } from "../cache/context.ts";
import type { BlockRows } from "../rows/block.ts";
import { factsAndRows, partsOf, type FactsPart, type RowsPart } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { addValueVisits } from "./month-visits.ts";
import { chunkRollup } from "../counts/chunk-rollup.ts";
import { SharedVisits } from "./distinct/shared-visits.ts";
import type { ValueGroups } from "./value-groups.ts";
import { VisitTally, type VisitDetail } from "./visit-tally.ts";

export function valueVisits(
  period: Period,
  values: ValueGroups,
  detail: VisitDetail,
  context: QueryContext,
): VisitTally {
  const { site } = context;
  const { groups, groupsOf } = values;
  const { facts, rows } = factsAndRows(site, { period, filters: [] }, dayMs);
  const shared = SharedVisits.of(period, context);
  const tally = new VisitTally(groups, shared, detail);
  const left: RowsPart[] = [...rows];
  for (const part of facts) {
    const rollup = groupedRollup(site, part, values);
    if (rollup === undefined) {
      left.push(part);
      continue;
    }
    context.factsAdded += tally.addRollup(rollup, values.groupOf, ...partsOf(part));
    const { chunk, rows: shares } = shared.rowsOf(part.chunk, part.facts, part.period);
    if (part.whole) tally.addShared(chunk, shares, groupsOf);
    else for (const ofDay of byDay(chunk, shares)) tally.addShared(chunk, ofDay, groupsOf);
  }
  visitLeft(left, [], context, (block) => tally.addBlock(block, groupsOf));
  addValueVisits(period, values, tally, context);
  return tally;
}

/**
 * Returns the rollup of a part, whose entries add up to the distinct visits of each group; undefined if there is none, or if
 * values had other labels when facts were made: then they are made again.
 */
function groupedRollup(
  site: SiteWithFacts,
  part: FactsPart,
  { of, groupOf, isExact, labels }: ValueGroups,
): Rollup | undefined {
  const rollup = chunkRollup(site, part, of);
  if (rollup === undefined || isExact) return rollup;
  const grouped = labels && part.facts.groupedVisits(labels, part.whole ? "whole" : "day");
  if (isGroupedBy(groupOf, rollup, grouped?.firsts, partsOf(part))) return { ...rollup, ...grouped };
  site.facts?.makeAgain(part.chunk);
  return undefined;
}

/** `firsts`: by entry, the first one of its group; without it, each entry is a group of its own. */
function isGroupedBy(
  groupOf: Uint32Array,
  { ends, ids }: Rollup,
  firsts: Uint32Array | undefined,
  [first, end]: readonly [first: number, end: number],
): boolean {
  for (let part = first; part < end; part++) {
    const groups = new Set<number>();
    for (let entry = ends[part - 1] ?? 0; entry < ends[part]!; entry++) {
      const group = groupOf[ids[entry]!]!;
      const own = firsts?.[entry] ?? entry;
      if (own === entry ? groups.has(group) : group !== groupOf[ids[own]!]) return false;
      groups.add(group);
    }
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
