/**
 * Which rows a question is about: chunk by chunk, in blocks small enough to stay in the cache, as lists of row
 * numbers that every filter in turn makes shorter. The lists of chunks that take no more hits are kept for the next
 * question with the same filters.
 */
import type { ColumnName } from "../core/dimension.ts";
import type { Filter, Period, Selection } from "../core/query.ts";
import { chunkRowsMax, type Chunk } from "../store/chunk.ts";
import type { AggregatesSource } from "../store/aggregates.ts";
import type { ReadSite } from "../store/read-site.ts";
import { keepRows, listRows, markAll, wordsFor } from "../store/row-sets.ts";
import { columnMembers, tupleColumns } from "../store/site.ts";
import { blockIds, blockRows, type Block, type BlockRows } from "./block.ts";
import type { Derived } from "./derived.ts";
import { columnMasks, keyOf, memberMasks, type Mask } from "./mask.ts";
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
  /** The same by dimension, for the chunks that have sets of their rows. */
  readonly members: ReadonlyMap<number, Mask>;
  readonly source: AggregatesSource | undefined;
  readonly properties: PropertyMasks | undefined;
  /** These filters were asked for before, or are asked for often: what they let through is worth its memory. */
  readonly isKnown: boolean;
}

/** When filters were asked for. */
interface Asked {
  /** Number of the first question. */
  readonly question: number;
  isOften: boolean;
}

const identity = Uint32Array.from({ length: blockRows }, (_, row) => row);
const scratchRows = new Uint32Array(blockRows);
const scratchBits = new Uint32Array(chunkRowsMax / 32);
/** Fresh memory costs more than what is done with it. */
const freeBits: Uint32Array[] = [];

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
  const key = keyOf(filters);
  const asked = askedFor(site, key, derived);
  return {
    key,
    isKnown: asked.isOften || asked.question !== derived.question,
    masks: columnMasks(site, filters, derived),
    members: memberMasks(site, filters, derived),
    source: site.aggregates,
    properties: filters.some(isPropertyFilter) ? propertyMasks(site, filters, derived) : undefined,
  };
}

/** The question under way will look at the rows of these filters more often than twice. */
export function willAskOften(site: ReadSite, filters: readonly Filter[], derived: Derived): void {
  askedFor(site, keyOf(filters), derived).isOften = true;
}

function askedFor(site: ReadSite, filters: string, derived: Derived): Asked {
  const key = `asked ${filters}`;
  const known = derived.find<Asked>(site, 0, key);
  if (known !== undefined) return known;
  const asked = { question: derived.question, isOften: false };
  if (filters !== "") derived.keep(site, 0, key, asked, 0);
  return asked;
}

/** The selected blocks of one range. */
export function blocksIn(range: RowRange, sieve: Sieve, work: Work): Generator<Block> {
  work.goOn();
  const { chunk, takesHits } = range;
  if (sieve.key === "" || takesHits) return sifted(range, sieve, work);
  const known = work.derived.find<Matches>(chunk, chunk.version, matchesKey(sieve));
  const matches = known ?? keptMatches(chunk, sieve, work);
  if (matches === undefined) return sifted(range, sieve, work);
  if (known === undefined || !sieve.isKnown) return listed(range, matches, work);
  const copies = keptCopies(chunk, matches, sieve, work);
  return copies === undefined ? listed(range, matches, work) : copied(range, copies, work);
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

function sifted(range: RowRange, sieve: Sieve, work: Work): Generator<Block> {
  const set = rowsInSets(range.chunk, sieve);
  return set === undefined ? fromColumns(range, sieve, work) : fromSets(range, set, sieve, work);
}

function* fromColumns(range: RowRange, sieve: Sieve, work: Work): Generator<Block> {
  const { chunk, from, to } = range;
  work.rowsRead += to - from;
  const holders = sieve.properties && rowsWithProperty(chunk, sieve.properties);
  for (let start = from; start < to; start += blockRows) {
    const count = Math.min(blockRows, to - start);
    yield* narrowed(range, start, identity, count, holders, sieve.masks);
  }
}

function* fromSets(range: RowRange, { bits, masks }: RowsInSets, sieve: Sieve, work: Work): Generator<Block> {
  const { chunk, from, to } = range;
  const holders = sieve.properties && rowsWithProperty(chunk, sieve.properties);
  for (let start = from; start < to; start += blockRows) {
    const count = listRows(bits, start, start, Math.min(start + blockRows, to), scratchRows);
    work.rowsRecalled += count;
    yield* narrowed(range, start, scratchRows, count, holders, masks);
  }
  freeBits.push(new Uint32Array(bits.buffer));
}

/** What period, properties and masks leave of the first `count` of `rows`, if that is any. */
function* narrowed(
  { chunk, period }: RowRange,
  start: number,
  listedRows: Uint32Array,
  listedCount: number,
  holders: Mask | undefined,
  masks: ReadonlyMap<ColumnName, Mask>,
): Generator<Block> {
  let [rows, count] = [listedRows, listedCount];
  if (period !== undefined) [rows, count] = [scratchRows, keepPeriod(chunk, start, rows, count, period)];
  if (holders !== undefined) [rows, count] = [scratchRows, keepMarked(holders, start, rows, count)];
  for (const [column, mask] of masks) {
    const ids = blockIds({ chunk, start }, column);
    if (ids instanceof Uint32Array) count = keepMasked(ids, mask, rows, count);
    else if (rows === identity) count = keepMaskedOfAll(ids, mask, count);
    else count = keepMaskedNarrow(ids, mask, rows, count);
    rows = scratchRows;
  }
  if (count > 0) yield { chunk, start, rows, count, dense: rows === identity };
}

interface RowsInSets {
  readonly bits: Uint32Array;
  /** Of the columns whose filters these rows have still to pass. */
  readonly masks: ReadonlyMap<ColumnName, Mask>;
}

/** What filters of dimensions that the chunk has sets of let through; undefined where there are none of these. */
function rowsInSets(chunk: Chunk, { masks, members, source }: Sieve): RowsInSets | undefined {
  const aggregates = members.size > 0 && chunk.sealed ? source?.ofChunk(chunk) : undefined;
  if (aggregates === undefined) return undefined;
  const sets = [...members.keys()].map((dimension) => [dimension, aggregates.rowSets(dimension)] as const);
  const seen = new Set(sets.flatMap(([dimension, own]) => (own === undefined ? [] : [dimension])));
  if (seen.size === 0) return undefined;
  const words = wordsFor(chunk.rows);
  const bits = (freeBits.pop() ?? new Uint32Array(chunkRowsMax / 32)).subarray(0, words);
  markAll(bits, chunk.rows);
  for (const [dimension, own] of sets)
    if (own !== undefined)
      keepRows(own, members.get(dimension) as Mask, bits, scratchBits.subarray(0, words));
  const left = new Map(masks);
  for (const column of tupleColumns)
    if (columnMembers[column].every((dimension) => seen.has(dimension) || !members.has(dimension)))
      left.delete(column);
  return { bits, masks: left };
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
