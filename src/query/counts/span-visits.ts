/**
 * Counts the distinct visits of spans of time, where nothing is filtered. A visit is in a span if its first row comes
 * before the span's end, and its last one not before its start: facts have both by quarter of an hour. That holds for
 * spans that are longer than any visit, which then has a row in them. A visit may have rows in several chunks; those are
 * close to both, so the rows that are near to another chunk are read, and what was counted twice is taken away.
 */
import { visitMsMax, visitPauseMs } from "../../core/hit.ts";
import type { Period } from "../../core/query.ts";
import type { ChunkFacts, SiteWithFacts } from "../../facts/facts.ts";
import { placeOf, quarterMs, quarterVisit, quarterVisits } from "../../facts/quarters.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedVisits, type Block } from "../rows/block.ts";
import { spanOf } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { DistinctVisits } from "./distinct-visits.ts";

/** No two rows of a visit are further apart. */
const apartMsMax = visitMsMax + visitPauseMs;

/** Writes the spans of a block's rows. */
type SpansOf = (block: Block) => Uint32Array;

/** `edgesMs`: as `spanTotals` takes them. Returns undefined if rows have to be read: some span is too short. */
export function spanVisits(
  site: SiteWithFacts,
  edgesMs: readonly number[],
  spansOf: SpansOf,
  context: QueryContext,
): Float64Array | undefined {
  if (edgesMs.some((ms, at) => at > 0 && ms - edgesMs[at - 1]! < apartMsMax)) return undefined;
  const spans = edgesMs.length - 1;
  const period = { startMs: edgesMs[0]!, endMs: edgesMs[spans]! - 1 };
  const chunks = [...site.chunks.values()].filter((chunk) => lengthOf(within(period, boundsOf(chunk))) > 0);
  const counts = new Float64Array(spans);
  const addRows = (chunk: Chunk, periods: readonly Period[], ...to: readonly DistinctVisits[]) =>
    visitLeft(
      site,
      periods.map((of) => ({ chunk, period: of })),
      [],
      context,
      (block) => {
        const [visits, own] = [selectedVisits(block), spansOf(block)];
        for (const distinct of to)
          for (let at = 0; at < block.count; at++) distinct.add(visits[at]!, own[at]!);
      },
    );
  const add = (distinct: DistinctVisits, sign: 1 | -1) =>
    distinct.counts.forEach((count, span) => (counts[span]! += sign * count));
  const ofAll = new DistinctVisits(spans);
  for (const chunk of chunks) {
    const facts = chunk.sealed && isWholeQuarters(chunk, edgesMs) ? site.facts?.ofChunk(chunk) : undefined;
    if (facts !== undefined) addFacts(counts, chunk, facts, edgesMs, context);
    else {
      const own = new DistinctVisits(spans);
      addRows(chunk, [period], own);
      add(own, 1);
    }
    const inSeveral = new DistinctVisits(spans);
    addRows(chunk, nearOthers(chunk, chunks, period), inSeveral, ofAll);
    add(inSeveral, -1);
  }
  add(ofAll, 1);
  return counts;
}

/** Whether each edge that divides the chunk's rows is that of a quarter of an hour. */
function isWholeQuarters({ minMs, maxMs }: Chunk, edgesMs: readonly number[]): boolean {
  return edgesMs.every((ms) => ms <= minMs || ms > maxMs || ms % quarterMs === 0);
}

function addFacts(
  counts: Float64Array,
  { minMs, maxMs }: Chunk,
  facts: ChunkFacts,
  edgesMs: readonly number[],
  context: QueryContext,
): void {
  const quarters = facts.quarters();
  const before = (part: number, ms: number) => quarters.visits[placeAt(ms) * quarterVisits + part]!;
  const placeAt = (ms: number) =>
    ms <= minMs ? 0 : ms > maxMs ? quarters.numbers.length : placeOf(quarters, ms / quarterMs);
  for (let span = spanOf(edgesMs, minMs); span < counts.length && edgesMs[span]! <= maxMs; span++) {
    const [startMs, endMs] = [edgesMs[span]!, edgesMs[span + 1]!];
    counts[span]! += before(quarterVisit.first, endMs) - before(quarterVisit.last, startMs);
    context.factsAdded++;
  }
}

/** Returns the parts of the period in which a visit of the chunk may have rows in another one too, in order. */
function nearOthers(chunk: Chunk, chunks: readonly Chunk[], period: Period): Period[] {
  const own = within(period, boundsOf(chunk));
  const near = chunks
    .filter((other) => other !== chunk)
    .map((other) => within(period, boundsOf(other)))
    .map(({ startMs, endMs }) => within(own, { startMs: startMs - apartMsMax, endMs: endMs + apartMsMax }))
    .filter((part) => lengthOf(part) > 0)
    .sort((a, b) => a.startMs - b.startMs);
  const joined: { startMs: number; endMs: number }[] = [];
  for (const { startMs, endMs } of near) {
    const last = joined.at(-1);
    if (last !== undefined && startMs <= last.endMs + 1) last.endMs = Math.max(last.endMs, endMs);
    else joined.push({ startMs, endMs });
  }
  return joined;
}

function boundsOf({ minMs, maxMs }: Chunk): Period {
  return { startMs: minMs, endMs: maxMs };
}

function within(one: Period, other: Period): Period {
  return { startMs: Math.max(one.startMs, other.startMs), endMs: Math.min(one.endMs, other.endMs) };
}

function lengthOf({ startMs, endMs }: Period): number {
  return endMs - startMs + 1;
}
