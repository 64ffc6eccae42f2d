/**
 * Selects the rows of a question: chunk by chunk, in blocks small enough to stay in the processor's cache, as lists of
 * row numbers that each filter shortens. The rows of a sealed chunk that pass all filters are cached: as row numbers,
 * or as copies of the rows if they are few.
 */
import type { ColumnName } from "../../core/questions/dimension.ts";
import type { Filter, Period, Selection } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { blockIds, blockRows, allRows, type Block, type BlockRows } from "./block.ts";
import { compileFilters, type CompiledFilters } from "./filters/compiled-filters.ts";
import type { QueryContext } from "../cache/context.ts";
import type { RowsPart } from "./facts-and-rows.ts";
import type { Mask } from "./filters/mask.ts";
import { areMany, copiedBytes, MatchedRows } from "./matched-rows.ts";
import { listMatches, matchesBytes, MatchList, type Matches } from "./matches.ts";
import { rowsWithProperty } from "../../store/chunks/rows-with-property.ts";
import { rangeOf, rangesOf, type RowRange } from "./range.ts";

const scratchRows = new Uint32Array(blockRows);

/** Receives each block, which is only valid until the call returns. */
export type Visit = (block: Block) => void;

// Blocks are handed on by calls and not by generators: the runtime compiles code inlined into a generator less well,
// which made the loops below several times slower.

/** Visits the selected blocks of a website, in the order of its chunks. */
export function visitSelected({ period, filters }: Selection, context: QueryContext, visit: Visit): void {
  visitRanges(rangesOf(context.site, period), filters, context, visit);
}

/** Visits the selected blocks among the rows that `factsAndRows` leaves to be read. */
export function visitLeft(
  rows: readonly RowsPart[],
  filters: readonly Filter[],
  context: QueryContext,
  visit: Visit,
): void {
  if (rows.length === 0) return;
  const ranges = rows.values().map(({ chunk, period }) => rangeOf(chunk, period));
  visitRanges(ranges, filters, context, visit);
}

/** Visits the selected blocks among ranges of rows. */
export function visitRanges(
  ranges: Iterable<RowRange>,
  filters: readonly Filter[],
  context: QueryContext,
  visit: Visit,
): void {
  const compiled = compileFilters(filters, context);
  for (const range of ranges) {
    context.throwIfCancelled();
    const cacheable = filters.length > 0 && range.chunk.sealed;
    const matched = cacheable ? cachedMatches(range.chunk, compiled, context) : undefined;
    if (matched === undefined) scan(range, compiled, context, visit);
    else if (matched instanceof MatchedRows) visitCopies(range, matched, context, visit);
    else visitListed(range, matched, context, visit);
  }
}

/** Returns the rows of a whole chunk that pass the filters, whatever the period; undefined if the cache has no room. */
function cachedMatches(
  chunk: Chunk,
  compiled: CompiledFilters,
  context: QueryContext,
): Matches | MatchedRows | undefined {
  const { rows, version } = chunk;
  const key = `matches ${compiled.key}`;
  return context.cache.get<Matches | MatchedRows>(chunk, version, key, 2 * rows, () => {
    const all = { chunk, from: 0, to: rows, period: undefined };
    const found = new MatchList(rows);
    scan(all, compiled, context, (block) => found.add(block));
    const { matches } = found;
    const bytes = matchesBytes(matches);
    if (areMany(chunk, matches)) return { value: matches, bytes };
    return { value: new MatchedRows(chunk, matches), bytes: bytes + copiedBytes(chunk, matches) };
  });
}

/** Applies the filters to each row of the range. */
function scan(range: RowRange, compiled: CompiledFilters, context: QueryContext, visit: Visit): void {
  const { chunk, from, to } = range;
  context.rowsRead += to - from;
  const holders = compiled.properties && rowsWithProperty(chunk, compiled.properties);
  for (let start = from; start < to; start += blockRows) {
    const block = narrowed(range, start, Math.min(blockRows, to - start), holders, compiled.masks);
    if (block.count > 0) visit(block);
  }
}

/** Narrows the rows from `start` on to those that pass the period, the properties and the masks. */
function narrowed(
  { chunk, period }: RowRange,
  start: number,
  rowCount: number,
  holders: Mask | undefined,
  masks: ReadonlyMap<ColumnName, Mask>,
): Block {
  let [rows, count] = [allRows, rowCount];
  if (period !== undefined) [rows, count] = [scratchRows, keepPeriod(chunk, start, rows, count, period)];
  if (holders !== undefined) [rows, count] = [scratchRows, keepMarked(holders, start, rows, count)];
  for (const [column, mask] of masks) {
    const ids = blockIds({ chunk, start }, column);
    if (ids instanceof Uint32Array) count = keepMasked(ids, mask, rows, count);
    else count = keepMaskedNarrow(ids, mask, rows, count);
    rows = scratchRows;
  }
  return { chunk, start, rows, count, dense: rows === allRows };
}

function visitListed(
  { chunk, from, to, period }: RowRange,
  matches: Matches,
  context: QueryContext,
  visit: Visit,
): void {
  const rows = scratchRows;
  for (let start = from - (from % blockRows); start < to; start += blockRows) {
    let count = listMatches(matches, start, from, to, rows);
    context.rowsMatched += count;
    if (period !== undefined) count = keepPeriod(chunk, start, rows, count, period);
    if (count > 0) visit({ chunk, start, rows, count, dense: false });
  }
}

function visitCopies(
  { from, to, period }: RowRange,
  chunk: MatchedRows,
  context: QueryContext,
  visit: Visit,
): void {
  const [first, end] = chunk.range(from, to);
  context.rowsMatched += end - first;
  for (let start = first; start < end; start += blockRows) {
    const count = Math.min(blockRows, end - start);
    if (period === undefined) visit({ chunk, start, rows: allRows, count, dense: true });
    else {
      const kept = keepPeriod(chunk, start, allRows, count, period);
      if (kept > 0) visit({ chunk, start, rows: scratchRows, count: kept, dense: false });
    }
  }
}

// The loops below are: keep each row of `rows` whose time, mark or id is selected. Each sees one kind of array.

function keepPeriod(
  { time, monthMs }: BlockRows,
  start: number,
  rows: Uint32Array,
  count: number,
  { startMs, endMs }: Period,
): number {
  const from = startMs - monthMs;
  const to = endMs - monthMs;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    const ms = time[start + row]!;
    scratchRows[kept] = row;
    kept += ms >= from && ms <= to ? 1 : 0;
  }
  return kept;
}

function keepMarked(marks: Mask, start: number, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    scratchRows[kept] = row;
    kept += marks[start + row]!;
  }
  return kept;
}

function keepMaskedNarrow(ids: Uint16Array, mask: Mask, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    scratchRows[kept] = row;
    kept += mask[ids[row]!]!;
  }
  return kept;
}

function keepMasked(ids: Uint32Array, mask: Mask, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    scratchRows[kept] = row;
    kept += mask[ids[row]!]!;
  }
  return kept;
}
