/** Totals of a period, of the period before it, and of its calendar intervals. */
import { dimensionIndex } from "../core/dimension.ts";
import type { Period, Selection, Summary, SummaryQuery, Totals } from "../core/query.ts";
import { badInput } from "../core/refusal.ts";
import { rowFlag } from "../store/chunk.ts";
import type { ReadDictionary, ReadSite } from "../store/read-site.ts";
import { countFlag, counts } from "./count.ts";
import { Derived } from "./derived.ts";
import { quantilesOf } from "./duration-quantiles.ts";
import { finishedIn } from "./finished.ts";
import { intervalTotals } from "./interval-totals.ts";
import { visitorFlag } from "./list.ts";
import { totalsOf } from "./row.ts";
import { selectBlocks, sieveOf, willAskOften } from "./select.ts";
import { durationsIn } from "./sorted-durations.ts";
import { tally } from "./tally.ts";
import { Work } from "./work.ts";

/** `nowMs`: the end of a period without one. */
export function answerSummary(
  site: ReadSite,
  query: SummaryQuery,
  nowMs: number,
  work = new Work(),
): Summary {
  const { period, filters, interval, previous } = query;
  const open = !Number.isFinite(period.startMs) || !Number.isFinite(period.endMs);
  if (previous && open) throw badInput("previous", true, "start and end beside it");
  if (interval !== undefined) willAskOften(site, filters, work.derived);
  return {
    current: totals(site, query, work),
    ...(previous && { previous: totals(site, { ...query, period: periodBefore(period) }, work) }),
    ...(interval !== undefined && { interval: intervalTotals(site, query, interval, nowMs, work) }),
  };
}

/** Unique visitors of a period. */
export function visitorsIn(site: ReadSite, period: Period): number {
  let visitors = 0;
  for (const block of selectBlocks(site, { period, filters: [] }, new Work(new Derived(0))))
    visitors += countFlag(block, rowFlag.unique);
  return visitors;
}

function periodBefore({ startMs, endMs }: Period): Period {
  return { startMs: startMs - 1 - (endMs - startMs), endMs: startMs - 1 };
}

function totals(site: ReadSite, query: Selection, work: Work): Totals {
  // Everything is one group; clients are counted one by one first, so that fewer rows in a row write to one cell.
  const dimension = dimensionIndex.device;
  const ofValue = new Uint32Array((site.dictionaries[dimension] as ReadDictionary).size);
  const ids = site.tuples.client.size;
  const ofColumn = new Uint32Array(ids);
  const visitor = visitorFlag(query.filters);
  tally(counts, site, query, { dimension, groups: 1, ofValue, ofColumn, ids, visitor }, work);
  return totalsOf(counts.of(0), medianOf(site, query, work));
}

/** The median of all selected durations. */
function medianOf(site: ReadSite, { period, filters }: Selection, work: Work): number {
  const sieve = sieveOf(site, filters, work.derived);
  const { found, left } = finishedIn(site, { period, filters }, (aggregates) => aggregates.durations());
  const read = left.map((range) => durationsIn(range, sieve, work));
  const spans = found.map((wavelet) => ({ wavelet, from: 0, to: wavelet.length }));
  return quantilesOf(read, spans, [0.5])[0] as number;
}
