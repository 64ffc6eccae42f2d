/**
 * Chooses where an answer comes from. Without a filter it is the facts of sealed chunks; a filtered question, and every
 * row that no facts cover, needs the rows. All questions choose here, and only here.
 */
import type { Period, Selection } from "../../core/questions/query.ts";
import type { ChunkFacts, SiteWithFacts } from "../../facts/facts.ts";
import { firstDay } from "../../facts/rollup.ts";
import { firstThat } from "../../lib/search.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ReducedMonth } from "../../store/state/reduced-month.ts";

/** Facts that a question adds: those of a whole chunk or month, or of some whole units of time. */
interface Part {
  /** The index of the span that they belong to. */
  readonly span: number;
  /** Whether the span covers all of it. */
  readonly whole: boolean;
  /** Whether nothing of it lies before the span. */
  readonly first: boolean;
  /** Numbers of units since 1970, from `from` up to `to`; used if `whole` is false. */
  readonly from: number;
  readonly to: number;
  /** The time that these units cover. */
  readonly period: Period;
}

export interface FactsPart extends Part {
  readonly chunk: Chunk;
  readonly facts: ChunkFacts;
}

/** Facts of a month without rows. */
export interface MonthPart extends Part {
  readonly month: ReducedMonth;
}

/** The rows of a chunk in a period, which have to be read. */
export interface RowsPart {
  readonly chunk: Chunk;
  readonly period: Period;
}

export interface FactsAndRows {
  readonly facts: readonly FactsPart[];
  readonly rows: readonly RowsPart[];
  /** The parts of months without rows; none if something is filtered, since such an answer leaves these months out. */
  readonly months: readonly MonthPart[];
}

/** The times of the first and the last thing that a question counts in a chunk or month. */
type Bounds = (of: Chunk | ReducedMonth) => Period;

/** Returns the times of the first and last row. */
const rowBounds: Bounds = ({ minMs, maxMs }) => ({ startMs: minMs, endMs: maxMs });
/** Returns the times of the first and last property: properties have times of their own. */
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
    else {
      const left = new LeftPeriods();
      for (const part of partsIn(own, unitMs, edgesMs, left)) facts.push({ ...part, chunk, facts: known });
      for (const { startMs, endMs } of left.periods) rows.push({ chunk, period: { startMs, endMs } });
    }
  }
  const months = filters.length > 0 ? [] : monthParts(site, period, unitMs, edgesMs, bounds);
  return { facts, rows, months };
}

/**
 * Returns the parts of months without rows, in whole units: an edge inside a unit is moved to the nearest edge of one.
 */
function monthParts(
  { reduced }: SiteWithFacts,
  period: Period,
  unitMs: number,
  edgesMs: readonly number[],
  bounds: Bounds,
): MonthPart[] {
  return [...reduced.values()].flatMap((month) => {
    const own = bounds(month);
    if (own.startMs > period.endMs || own.endMs < period.startMs) return [];
    return partsIn(own, unitMs, edgesMs).map((part) => ({ ...part, month }));
  });
}

export interface Division {
  readonly edgesMs?: readonly number[];
  readonly bounds?: Bounds;
}

/**
 * Returns the whole units in a period. `left` gets the rest of it; without `left`, an edge inside a unit is moved to
 * the nearest edge of one.
 */
function partsIn(own: Period, unitMs: number, edgesMs: readonly number[], left?: LeftPeriods): Part[] {
  const parts: Part[] = [];
  const [up, down] = left === undefined ? [Math.round, Math.round] : [Math.ceil, Math.floor];
  for (let span = spanOf(edgesMs, own.startMs); span < edgesMs.length - 1; span++) {
    const [startMs, endMs] = [edgesMs[span]!, edgesMs[span + 1]!];
    if (startMs > own.endMs) break;
    const [first, last] = [startMs <= own.startMs, endMs > own.endMs];
    const whole = first && last;
    const from = first ? Math.floor(own.startMs / unitMs) : up(startMs / unitMs);
    const to = last ? Math.floor(own.endMs / unitMs) + 1 : down(endMs / unitMs);
    if (whole) parts.push({ span, whole, first, from, to, period: own });
    else if (unitMs === Infinity || from >= to) left?.add(startMs, endMs);
    else {
      const period = { startMs: from * unitMs, endMs: to * unitMs - 1 };
      parts.push({ span, whole, first, from, to, period });
      if (!first) left?.add(startMs, from * unitMs);
      if (!last) left?.add(to * unitMs, endMs);
    }
  }
  return parts;
}

/** Returns the parts of a rollup that belong to a part of the facts: the whole, or a range of days. */
export function partsOf(part: FactsPart | MonthPart): [first: number, end: number] {
  if (part.whole) return [0, 1];
  const day = firstDay("month" in part ? part.month : part.chunk);
  return [part.from - day, part.to - day];
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
  return firstThat(1, edgesMs.length - 1, (at) => edgesMs[at]! > ms) - 1;
}
