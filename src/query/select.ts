/**
 * Which rows a question is about: chunk by chunk, in blocks small enough to stay in the cache, as lists of row
 * numbers that every filter in turn makes shorter. The lists of chunks that take no more hits are kept for the next
 * question with the same filters.
 */
import type { ColumnName } from "../core/dimension.ts";
import type { Filter, Period, Selection } from "../core/query.ts";
import type { Chunk } from "../store/chunk.ts";
import type { ReadSite } from "../store/read-site.ts";
import { blockIds, blockRows, type Block, type BlockRows } from "./block.ts";
import type { Derived } from "./derived.ts";
import { columnMasks, keyOf, type Mask } from "./mask.ts";
import { areMany, copiedBytes, MatchedRows } from "./matched-rows.ts";
import { listMatches, matchesBytes, matchesOf, type Matches } from "./matches.ts";
import { isPropertyFilter, propertyMasks, rowsWithProperty, type PropertyMasks } from "./property-mask.ts";
import { rangesOf, type RowRange } from "./range.ts";
import { Work } from "./work.ts";

/** Filters, made ready for rows. */
export interface Sieve {
  /** Of the filters; "" for none. */
  readonly key: string;
  readonly masks: ReadonlyMap<ColumnName, Mask>;
  readonly properties: PropertyMasks | undefined;
}

const identity = Uint32Array.from({ length: blockRows }, (_, row) => row);
const scratchRows = new Uint32Array(blockRows);

/** The selected blocks of a website, in the order of its chunks. */
export function selectBlocks(
  site: ReadSite,
  { period, filters }: Selection,
  work: Work = new Work(),
): Generator<Block> {
  return blocksOf(site, rangesOf(site, period), filters, work);
}

/** The selected blocks of ranges. */
export function* blocksOf(
  site: ReadSite,
  ranges: Iterable<RowRange>,
  filters: readonly Filter[],
  work: Work,
): Generator<Block> {
  const sieve = sieveOf(site, filters, work.derived);
  for (const range of ranges) yield* blocksIn(range, sieve, work);
}

export function sieveOf(site: ReadSite, filters: readonly Filter[], derived: Derived): Sieve {
  return {
    key: keyOf(filters),
    masks: columnMasks(site, filters, derived),
    properties: filters.some(isPropertyFilter) ? propertyMasks(site, filters, derived) : undefined,
  };
}

/** The selected blocks of one range. */
export function blocksIn(range: RowRange, sieve: Sieve, work: Work): Generator<Block> {
  work.goOn();
  const { chunk, takesHits } = range;
  if (sieve.key === "" || takesHits) return sifted(range, sieve, work);
  const known = work.derived.find<Matches>(chunk, chunk.version, matchesKey(sieve));
  if (known === undefined) {
    const matches = keptMatches(chunk, sieve, work);
    return matches === undefined ? sifted(range, sieve, work) : listed(range, matches, work);
  }
  // The second question with these filters, so there may be a third.
  const copies = keptCopies(chunk, known, sieve, work);
  return copies === undefined ? listed(range, known, work) : copied(range, copies, work);
}

function matchesKey({ key }: Sieve): string {
  return `matches ${key}`;
}

/** The selected rows of a whole chunk, whatever period is asked for; undefined where they cannot be kept. */
function keptMatches(chunk: Chunk, sieve: Sieve, work: Work): Matches | undefined {
  const { rows, version } = chunk;
  return work.derived.get(chunk, version, matchesKey(sieve), 2 * rows, () => {
    const all = { chunk, from: 0, to: rows, period: undefined, takesHits: false };
    const value = matchesOf(sifted(all, sieve, work), rows);
    return { value, bytes: matchesBytes(value) };
  });
}

/** Copies of them; undefined where they are too many, or cannot be kept. */
function keptCopies(chunk: Chunk, matches: Matches, sieve: Sieve, work: Work): MatchedRows | undefined {
  const key = `copies ${sieve.key}`;
  // Found before anything of the chunk is looked at, which may have to be mapped for it.
  const known = work.derived.find<MatchedRows>(chunk, chunk.version, key);
  if (known !== undefined || areMany(chunk, matches)) return known;
  const bytes = copiedBytes(chunk, matches);
  return work.derived.get(chunk, chunk.version, key, bytes, () => ({
    value: new MatchedRows(chunk, matches),
    bytes,
  }));
}

function* sifted({ chunk, from, to, period }: RowRange, sieve: Sieve, work: Work): Generator<Block> {
  const holders = sieve.properties && rowsWithProperty(chunk, sieve.properties);
  work.rowsRead += to - from;
  for (let start = from; start < to; start += blockRows) {
    let rows: Uint32Array = identity;
    let count = Math.min(blockRows, to - start);
    if (period !== undefined) [rows, count] = [scratchRows, keepPeriod(chunk, start, rows, count, period)];
    if (holders !== undefined) [rows, count] = [scratchRows, keepMarked(holders, start, rows, count)];
    for (const [column, mask] of sieve.masks) {
      const ids = blockIds({ chunk, start }, column);
      if (ids instanceof Uint32Array) count = keepMasked(ids, mask, rows, count);
      else if (rows === identity) count = keepMaskedOfAll(ids, mask, count);
      else count = keepMaskedNarrow(ids, mask, rows, count);
      rows = scratchRows;
    }
    if (count > 0) yield { chunk, start, rows, count, dense: rows === identity };
  }
}

function* listed({ chunk, from, to, period }: RowRange, matches: Matches, work: Work): Generator<Block> {
  const rows = scratchRows;
  for (let start = from - (from % blockRows); start < to; start += blockRows) {
    let count = listMatches(matches, start, from, to, rows);
    work.rowsRecalled += count;
    if (period !== undefined) count = keepPeriod(chunk, start, rows, count, period);
    if (count > 0) yield { chunk, start, rows, count, dense: false };
  }
}

function* copied({ from, to, period }: RowRange, chunk: MatchedRows, work: Work): Generator<Block> {
  const [first, end] = chunk.range(from, to);
  work.rowsRecalled += end - first;
  for (let start = first; start < end; start += blockRows) {
    const count = Math.min(blockRows, end - start);
    if (period === undefined) yield { chunk, start, rows: identity, count, dense: true };
    else {
      const kept = keepPeriod(chunk, start, identity, count, period);
      if (kept > 0) yield { chunk, start, rows: scratchRows, count: kept, dense: false };
    }
  }
}

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
    const row = rows[at] as number;
    const ms = time[start + row] as number;
    scratchRows[kept] = row;
    kept += ms >= from && ms <= to ? 1 : 0;
  }
  return kept;
}

function keepMarked(marks: Mask, start: number, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchRows[kept] = row;
    kept += marks[start + row] as number;
  }
  return kept;
}

function keepMaskedOfAll(ids: Uint16Array, mask: Mask, count: number): number {
  let kept = 0;
  for (let row = 0; row < count; row++) {
    scratchRows[kept] = row;
    kept += mask[ids[row] as number] as number;
  }
  return kept;
}

function keepMaskedNarrow(ids: Uint16Array, mask: Mask, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchRows[kept] = row;
    kept += mask[ids[row] as number] as number;
  }
  return kept;
}

function keepMasked(ids: Uint32Array, mask: Mask, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchRows[kept] = row;
    kept += mask[ids[row] as number] as number;
  }
  return kept;
}
