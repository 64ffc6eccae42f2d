/**
 * Counts the visits of spans of time, where nothing is filtered. A visit is in a span if its first row comes
 * before the span's end, and its last one not before its start: facts have both by quarter of an hour. Rows are read
 * around an edge inside a quarter (quarter-rest.ts), and of chunks with a short span among their rows (short-spans.ts).
 */
import type { Selection } from "../../core/questions/query.ts";
import type { ChunkFacts } from "../../facts/facts.ts";
import { placeOf, quarterMs } from "../../facts/quarters.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { touches } from "../rows/range.ts";
import { visitLeft } from "../rows/select.ts";
import { distinctVisits } from "../rows/selected-visits.ts";
import { addSpans, addSpanVisits } from "./month-visits.ts";
import { SharedVisits } from "./distinct/shared-visits.ts";
import { noRest, restBefore, type QuarterRest } from "./quarter-rest.ts";
import { hasShortWithin } from "./short-spans.ts";
import { VisitTally, visitsOnly, type VisitDetail } from "./visit-tally.ts";
import { blockRows, type GroupsOf } from "../rows/block.ts";

const oneSpan = new Uint32Array(blockRows);

/** Returns the number of distinct visits of a selection. Throws Cancelled. */
export function countVisits(selection: Selection, context: QueryContext): number {
  const { period, filters } = selection;
  if (filters.length > 0) return distinctVisits(selection, context).size;
  const edgesMs = [period.startMs, period.endMs + 1];
  return spanVisits(edgesMs, () => oneSpan, visitsOnly, context).visits.all;
}

/** `edgesMs`: as `spanTotals` takes them. Throws Cancelled. */
export function spanVisits(
  edgesMs: readonly number[],
  spansOf: GroupsOf,
  detail: VisitDetail,
  context: QueryContext,
): VisitTally {
  const { site } = context;
  const spans = edgesMs.length - 1;
  const period = { startMs: edgesMs[0]!, endMs: edgesMs[spans]! - 1 };
  const shared = SharedVisits.of(period, context);
  const tally = new VisitTally(spans, shared, detail);
  for (const chunk of site.chunks.values()) {
    if (!touches(chunk, period)) continue;
    const isKnown = chunk.sealed && !hasShortWithin(edgesMs, chunk);
    const facts = isKnown ? site.facts?.ofChunk(chunk) : undefined;
    if (facts === undefined)
      visitLeft([{ chunk, period }], [], context, (block) => tally.addBlock(block, spansOf));
    else {
      addFacts(tally, chunk, facts, edgesMs, context);
      const ofShared = shared.rowsOf(chunk, facts, period);
      tally.addShared(ofShared.chunk, ofShared.rows, spansOf);
    }
  }
  addSpanVisits(edgesMs, tally, context);
  return tally;
}

function addFacts(
  tally: VisitTally,
  chunk: Chunk,
  facts: ChunkFacts,
  edgesMs: readonly number[],
  context: QueryContext,
): void {
  const quarters = facts.quarters();
  const { minMs, maxMs } = chunk;
  const placeAt = (ms: number) =>
    ms <= minMs ? 0 : ms > maxMs ? quarters.numbers.length : placeOf(quarters, Math.floor(ms / quarterMs));
  const rests = new Map<number, QuarterRest>();
  const restAt = (ms: number) =>
    ms <= minMs || ms > maxMs ? noRest : rests.getOrInsertComputed(ms, () => restBefore(chunk, ms, context));
  // The visits with rows in several chunks are counted anew, as shared.
  context.factsAdded += addSpans(tally, chunk, quarters, edgesMs, { placeAt, restAt, crossing: () => 0 });
}
