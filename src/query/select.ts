/**
 * Which rows a question is about: chunk by chunk, in blocks small enough to stay in the cache, as lists of row
 * numbers that every filter in turn makes shorter. A block is only valid until the next one.
 */
import { propertyFilterNames, type ColumnName } from "../core/dimension.ts";
import type { Filter, Period, Selection } from "../core/query.ts";
import { firstFrom, movedRow, type Chunk } from "../store/chunk.ts";
import type { Dictionary } from "../store/dictionary.ts";
import type { Site } from "../store/site.ts";
import { applyFilter, columnMasks, type Mask } from "./mask.ts";

export const blockRows = 4_096;

export interface Block {
  readonly chunk: Chunk;
  /** First row of the block. */
  readonly start: number;
  /** The selected rows, counted from `start`, in the first `count` entries. */
  readonly rows: Uint32Array;
  readonly count: number;
  /** All rows from `start` on are selected. */
  readonly dense: boolean;
}

/** Rows of a chunk from `from` up to `to`; where they are in no order of time, those of them in `period`. */
export interface RowRange {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
  readonly period: Period | undefined;
}

/** Rows that were looked at, which selecting adds to. */
export interface RowsRead {
  rowsRead: number;
}

/** Which properties the filters select: bytes by name id and by value id. */
export interface PropertyMasks {
  readonly names: Mask;
  readonly values: Mask;
}

const identity = Uint32Array.from({ length: blockRows }, (_, row) => row);
const scratchRows = new Uint32Array(blockRows);
const scratchIds = new Uint32Array(blockRows);

export function isPropertyFilter({ name }: Filter): boolean {
  return (propertyFilterNames as readonly string[]).includes(name);
}

/** The selected blocks of a website, in the order of its chunks. */
export function selectBlocks(
  site: Site,
  { period, filters }: Selection,
  work: RowsRead = { rowsRead: 0 },
): Generator<Block> {
  return blocksOf(site, rangesOf(site, period), filters, work);
}

/** What a period has of each chunk. */
export function* rangesOf(site: Site, period: Period): Generator<RowRange> {
  for (const chunk of site.chunks.values()) {
    if (chunk.maxMs < period.startMs || chunk.minMs > period.endMs) continue;
    const whole = chunk.minMs >= period.startMs && chunk.maxMs <= period.endMs;
    const [from, to] = whole || !chunk.sorted ? [0, chunk.rows] : sortedRange(chunk, period);
    yield { chunk, from, to, period: whole || chunk.sorted ? undefined : period };
  }
}

/** The selected blocks of ranges. */
export function* blocksOf(
  site: Site,
  ranges: Iterable<RowRange>,
  filters: readonly Filter[],
  work: RowsRead,
): Generator<Block> {
  const masks = columnMasks(site, filters);
  const properties = filters.some(isPropertyFilter) ? propertyMasks(site, filters) : undefined;
  for (const { chunk, from, to, period } of ranges) {
    const holders = properties && rowsWithProperty(chunk, properties);
    work.rowsRead += to - from;
    for (let start = from; start < to; start += blockRows) {
      const length = Math.min(blockRows, to - start);
      let rows: Uint32Array = identity;
      let count = length;
      if (period !== undefined) [rows, count] = [scratchRows, keepPeriod(chunk, start, count, period)];
      if (holders !== undefined) [rows, count] = [scratchRows, keepMarked(holders, start, rows, count)];
      for (const [column, mask] of masks) {
        const ids = blockIds({ chunk, start }, column);
        count =
          rows === identity && ids instanceof Uint16Array
            ? keepMaskedOfAll(ids, mask, count)
            : keepMasked(wide(ids), mask, rows, count);
        rows = scratchRows;
      }
      if (count > 0) yield { chunk, start, rows, count, dense: rows === identity };
    }
  }
}

/** A block's ids of a column. */
export function blockIds(
  { chunk, start }: Pick<Block, "chunk" | "start">,
  column: ColumnName,
): Uint16Array | Uint32Array {
  return chunk.ids[column].values.subarray(start, start + blockRows);
}

/** A block's ids in 32 bits, until the next call, so that a loop over them sees one kind of array. */
export function wide(ids: Uint16Array | Uint32Array): Uint32Array {
  if (ids instanceof Uint32Array) return ids;
  scratchIds.set(ids);
  return scratchIds;
}

export function propertyMasks(site: Site, filters: readonly Filter[]): PropertyMasks {
  const mask = (name: string, dictionary: Dictionary) => {
    const ids = new Uint8Array(dictionary.size).fill(1);
    for (const filter of filters)
      if (filter.name === name) applyFilter(ids, dictionary, (value) => [value.toLowerCase()], filter);
    return ids;
  };
  return { names: mask("prop_name", site.propertyNames), values: mask("prop_value", site.propertyValues) };
}

function rowsWithProperty(chunk: Chunk, { names, values }: PropertyMasks): Mask {
  const { propertyName, propertyValue, propertyRow } = chunk;
  const rows = new Uint8Array(chunk.rows);
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index] as number;
    if (row === movedRow) continue;
    if (names[propertyName[index] as number] === 1 && values[propertyValue[index] as number] === 1)
      rows[row] = 1;
  }
  return rows;
}

function sortedRange(chunk: Chunk, { startMs, endMs }: Period): [from: number, to: number] {
  return [firstFrom(chunk, startMs, 0, chunk.rows), firstFrom(chunk, endMs + 1, 0, chunk.rows)];
}

function keepPeriod(
  { time, monthMs }: Chunk,
  start: number,
  length: number,
  { startMs, endMs }: Period,
): number {
  const from = startMs - monthMs;
  const to = endMs - monthMs;
  let kept = 0;
  for (let at = 0; at < length; at++) {
    const ms = time[start + at] as number;
    scratchRows[kept] = at;
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

function keepMasked(ids: Uint32Array, mask: Mask, rows: Uint32Array, count: number): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchRows[kept] = row;
    kept += mask[ids[row] as number] as number;
  }
  return kept;
}
