/**
 * The rows of a sealed chunk by value of one dimension that has few values there: what a filter lets through is put
 * together from them, without a look at the rows.
 */
import { chunkRowsMax, type Chunk } from "./chunk.ts";

/** A chunk with more values of a dimension has no sets of it: they would have to be looked through. */
const valuesMax = 256;
/** From one row of so many on, a bit for each row of the chunk is less than a number for each of the set. */
const rowsPerBitmapRow = 16;
/** What a bitmap costs to be added, in rows of a list. */
const bitmapCost = chunkRowsMax / 64;

export interface RowSets {
  /** The value that most rows have has no set where those of all others cost less: its rows are the ones that are left. */
  readonly rest: number | undefined;
  /** The values of the sets: first of those that are bitmaps, then of those that are lists. */
  readonly ids: Uint32Array;
  /** One bitmap after the other, of `wordsFor` words each; the lowest bit of a word is its first row. */
  readonly bits: Uint32Array;
  /** By list: where its rows end. */
  readonly ends: Uint32Array;
  readonly rows: Uint16Array;
}

/** 32-bit words of a bit for each row. */
export function wordsFor(rows: number): number {
  return Math.ceil(rows / 32);
}

/** `valueOf`: by id of the column. undefined where there are too many values. */
export function rowSetsOf(
  { rows }: Chunk,
  ids: Uint16Array | Uint32Array,
  valueOf: Uint32Array,
): RowSets | undefined {
  const values = new Uint32Array(rows);
  let greatest = 0;
  for (let row = 0; row < rows; row++) {
    const value = valueOf[ids[row] as number] as number;
    values[row] = value;
    if (value > greatest) greatest = value;
  }
  const counts = new Uint32Array(greatest + 1);
  let found: number[] | undefined = [];
  for (let row = 0; row < rows && found !== undefined; row++) {
    const value = values[row] as number;
    const before = counts[value] as number;
    counts[value] = before + 1;
    if (before === 0 && found.push(value) > valuesMax) found = undefined;
  }
  if (found === undefined) return undefined;
  found.sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  const [rest, ...others] = found;
  const cost = others.reduce((sum, id) => sum + Math.min(counts[id] as number, bitmapCost), 0);
  return cost > 4 * bitmapCost
    ? setsOf(values, undefined, Uint32Array.from(found), counts)
    : setsOf(values, rest, Uint32Array.from(others), counts);
}

/** `ids`: those that have the most rows first. */
function setsOf(
  values: Uint32Array,
  rest: number | undefined,
  ids: Uint32Array,
  counts: Uint32Array,
): RowSets {
  const isFrequent = (id: number) => (counts[id] as number) * rowsPerBitmapRow >= values.length;
  const bitmaps = ids.filter(isFrequent).length;
  const words = wordsFor(values.length);
  const bits = new Uint32Array(bitmaps * words);
  const ends = new Uint32Array(ids.length - bitmaps);
  /** By value: counted from 1; 0 for the rest. */
  const setOf = new Uint32Array(counts.length);
  let length = 0;
  ids.forEach((id, set) => {
    setOf[id] = set + 1;
    if (set < bitmaps) return;
    ends[set - bitmaps] = length;
    length += counts[id] as number;
  });
  const rows = new Uint16Array(length);
  for (let row = 0; row < values.length; row++) {
    const set = (setOf[values[row] as number] as number) - 1;
    if (set < 0) continue;
    if (set < bitmaps) setBit(bits, set * words, row);
    else {
      const at = ends[set - bitmaps] as number;
      rows[at] = row;
      ends[set - bitmaps] = at + 1;
    }
  }
  return { rest, ids, bits, ends, rows };
}

function setBit(bits: Uint32Array, from: number, row: number): void {
  const word = from + (row >>> 5);
  bits[word] = (bits[word] as number) | (1 << (row & 31));
}

/** A bit for each of so many rows, and none after them. */
export function markAll(bits: Uint32Array, rows: number): void {
  bits.fill(0xffffffff, 0, rows >>> 5);
  if (rows % 32 !== 0) bits[rows >>> 5] = 2 ** (rows % 32) - 1;
}

/** Clears the bits in `into`, one for each row, of the rows whose value is not in `mask`. `scratch` is as long. */
export function keepRows(sets: RowSets, mask: Uint8Array, into: Uint32Array, scratch: Uint32Array): void {
  const isMasked = (id: number) => mask[id] === 1;
  const [costOfMasked, costOfOthers] = costs(sets, isMasked);
  // What stays is put together, or what does not.
  const others = sets.rest === undefined ? costOfOthers < costOfMasked : isMasked(sets.rest);
  scratch.fill(0);
  addSets(sets, (id) => isMasked(id) !== others, scratch);
  const flip = others ? 0xffffffff : 0;
  for (let word = 0; word < into.length; word++)
    into[word] = (into[word] as number) & ((scratch[word] as number) ^ flip);
}

function costs({ ids, ends }: RowSets, isMasked: (id: number) => boolean): [masked: number, others: number] {
  const bitmaps = ids.length - ends.length;
  let [masked, others, from] = [0, 0, 0];
  ids.forEach((id, set) => {
    const end = set < bitmaps ? 0 : (ends[set - bitmaps] as number);
    const cost = set < bitmaps ? bitmapCost : end - from;
    from = end;
    if (isMasked(id)) masked += cost;
    else others += cost;
  });
  return [masked, others];
}

function addSets(
  { ids, bits, ends, rows }: RowSets,
  isWanted: (id: number) => boolean,
  to: Uint32Array,
): void {
  const bitmaps = ids.length - ends.length;
  let from = 0;
  for (let set = 0; set < ids.length; set++) {
    const end = set < bitmaps ? 0 : (ends[set - bitmaps] as number);
    if (isWanted(ids[set] as number)) {
      if (set < bitmaps) addBits(bits, set * to.length, to);
      else for (let at = from; at < end; at++) setBit(to, 0, rows[at] as number);
    }
    from = end;
  }
}

function addBits(bits: Uint32Array, from: number, to: Uint32Array): void {
  for (let word = 0; word < to.length; word++)
    to[word] = (to[word] as number) | (bits[from + word] as number);
}

/** Lists the rows from `from` up to `to` that have a bit, counted from `start`; returns how many. */
export function listRows(
  bits: Uint32Array,
  start: number,
  from: number,
  to: number,
  list: Uint32Array,
): number {
  let count = 0;
  for (let word = from >>> 5; word * 32 < to; word++) {
    let left = bits[word] as number;
    if (word * 32 < from) left &= -1 << (from & 31);
    if (word * 32 + 32 > to) left &= 2 ** (to & 31) - 1;
    const first = word * 32 - start + 31;
    while (left !== 0) {
      const lowest = left & -left;
      list[count++] = first - Math.clz32(lowest);
      left ^= lowest;
    }
  }
  return count;
}
