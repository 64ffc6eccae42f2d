/**
 * Chooses where an answer comes from. Without a filter it is the facts of sealed chunks; a filtered question, and every
 * row that no facts cover, needs the rows. All questions choose here, and only here.
 */
import type { Period, Selection } from "../../core/query.ts";
import type { ChunkFacts, SiteWithFacts } from "../../facts/facts.ts";
import type { Chunk } from "../../store/columns/chunk.ts";

/** Facts that a question adds: those of a whole chunk, or of some whole units of time. */
export interface FactsPart {
  readonly chunk: Chunk;
  readonly facts: ChunkFacts;
  /** The index of the span that they belong to. */
  readonly span: number;
  /** Whether the span covers all of the chunk. */
  readonly whole: boolean;
  /** Numbers of units since 1970, from `from` up to `to`; used if `whole` is false. */
  readonly from: number;
  readonly to: number;
  /** The time that these units cover. */
  readonly period: Period;
}

/** The rows of a chunk in a period, which have to be read. */
export interface RowsPart {
  readonly chunk: Chunk;
  readonly period: Period;
}

export interface FactsAndRows {
  readonly facts: readonly FactsPart[];
  readonly rows: readonly RowsPart[];
}

/** The times of the first and the last thing that a question counts in a chunk. */
type Bounds = (chunk: Chunk) => Period;

/** Returns the times of a chunk's first and last row. */
export const rowBounds: Bounds = ({ minMs, maxMs }) => ({ startMs: minMs, endMs: maxMs });
/** Returns the times of a chunk's first and last property: properties have times of their own. */
export const propertyBounds: Bounds = ({ propertyMinMs, propertyMaxMs }) => ({
  startMs: propertyMinMs,
  endMs: propertyMaxMs,
});

/**
 * Divides a selection into facts and rows. `unitMs`: the length of the facts' units that the question can use, which
 * are whole units since 1970; Infinity if it needs whole chunks. `edgesMs`: the start of each span of the period, and
 * the end of the last one; by default the period is the only span.
 */
export function factsAndRows(
  site: SiteWithFacts,
  { period, filters }: Selection,
  unitMs: number,
  { edgesMs = [period.startMs, period.endMs + 1], bounds = rowBounds }: Division = {},
): FactsAndRows {
  const facts: FactsPart[] = [];
  const rows: RowsPart[] = [];
  for (const chunk of site.chunks.values()) {
    const own = bounds(chunk);
    if (own.startMs > period.endMs || own.endMs < period.startMs) continue;
    const known = filters.length === 0 && chunk.sealed ? site.facts?.ofChunk(chunk) : undefined;
    if (known === undefined) rows.push({ chunk, period });
    else divide(chunk, own, known, unitMs, edgesMs, facts, rows);
  }
  return { facts, rows };
}

export interface Division {
  readonly edgesMs?: readonly number[];
  readonly bounds?: Bounds;
}

function divide(
  chunk: Chunk,
  own: Period,
  facts: ChunkFacts,
  unitMs: number,
  edgesMs: readonly number[],
  toFacts: FactsPart[],
  toRows: RowsPart[],
): void {
  const left = new LeftPeriods();
  for (let span = spanOf(edgesMs, own.startMs); span < edgesMs.length - 1; span++) {
    const [startMs, endMs] = [edgesMs[span]!, edgesMs[span + 1]!];
    if (startMs > own.endMs) break;
    const [first, last] = [startMs <= own.startMs, endMs > own.endMs];
    const whole = first && last;
    const from = first ? Math.floor(own.startMs / unitMs) : Math.ceil(startMs / unitMs);
    const to = last ? Math.floor(own.endMs / unitMs) + 1 : Math.floor(endMs / unitMs);
    if (whole) toFacts.push({ chunk, facts, span, whole, from, to, period: own });
    else if (unitMs === Infinity || from >= to) left.add(startMs, endMs);
    else {
      const period = { startMs: from * unitMs, endMs: to * unitMs - 1 };
      toFacts.push({ chunk, facts, span, whole, from, to, period });
      if (!first) left.add(startMs, from * unitMs);
      if (!last) left.add(to * unitMs, endMs);
    }
  }
  for (const period of left.periods) toRows.push({ chunk, period });
}

/** Collects periods in the order of time, and joins those that touch. */
class LeftPeriods {
  readonly periods: { readonly startMs: number; endMs: number }[] = [];

  /** Adds the time from `startMs` up to, but without, `endMs`. */
  add(startMs: number, endMs: number): void {
    if (startMs >= endMs) return;
    const last = this.periods.at(-1);
    if (last?.endMs === startMs - 1) last.endMs = endMs - 1;
    else this.periods.push({ startMs, endMs: endMs - 1 });
  }
}

/** Returns the last span that begins at `ms` or before; the first one if none does. */
export function spanOf(edgesMs: readonly number[], ms: number): number {
  let [low, high] = [0, edgesMs.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (edgesMs[middle]! <= ms) low = middle;
    else high = middle - 1;
  }
  return low;
}
