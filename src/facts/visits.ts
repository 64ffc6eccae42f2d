/**
 * Says which visits have rows in a chunk. Sums of distinct visits count a visit once in each part that it has rows in;
 * with these facts, the few visits with rows in several parts are found without reading the rows of all.
 */
import type { Chunk } from "../store/chunks/chunk.ts";
import { rowFlag } from "../store/columns/row-flag.ts";
import { rowsByKey } from "../store/columns/columns.ts";

/** Bits of visits are in pages of two to the power of this, because the visits of a chunk have numbers that are close. */
const pageBits = 10;
export const pageVisits = 2 ** pageBits;
export const pageWords = pageVisits / 32;

export function pageOf(visit: number): number {
  return visit >>> pageBits;
}

/** Returns the word of a visit in its page; the bit in the word is that of the visit's last five. */
export function wordOf(visit: number): number {
  return (visit >>> 5) & (pageWords - 1);
}

export interface ChunkVisits {
  /** The pages that have visits of the chunk, rising. */
  readonly pages: Uint32Array;
  /** By page: the first row of its visits. */
  readonly firstRows: Uint32Array;
  /** By page: the row after the last one of its visits. */
  readonly endRows: Uint32Array;
  /** By page: `pageWords` words with a bit for each visit, found by `wordOf`. */
  readonly bits: Uint32Array;
  /** The rows, rising, of visits that have rows on several UTC days of the chunk. */
  readonly ofSeveralDays: Uint32Array;
}

/** The rows of a part of a chunk that belong to visits, visit by visit. */
export interface VisitRows {
  readonly rows: Uint32Array;
  /** The number of distinct visits. */
  readonly visits: number;
  /** The number of distinct visits that one of the rows times. */
  readonly timed: number;
}

/** Returns the rows from `from` up to `to` that belong to visits. */
export function rowsByVisit({ visit, flags }: Chunk, from: number, to: number): VisitRows {
  const rows = rowsByKey(visit.subarray(from, to), to - from);
  let without = 0;
  let [visits, timed] = [0, 0];
  for (let at = 0, last = 0, lastTimed = 0; at < rows.length; at++) {
    const row = from + rows[at]!;
    rows[at] = row;
    const own = visit[row]!;
    if (own === 0) without++;
    else if (own !== last) visits++;
    last = own;
    if ((flags[row]! & rowFlag.timed) === 0 || own === lastTimed) continue;
    timed++;
    lastTimed = own;
  }
  return { rows: rows.subarray(without), visits, timed };
}

/** Returns the facts of the chunk's visits. `days`: the end row of each of its UTC days. */
export function visitsOfChunk(chunk: Chunk, days: Uint32Array): ChunkVisits {
  const { visit } = chunk;
  const { rows } = rowsByVisit(chunk, 0, chunk.rows);
  const pages: number[] = [];
  const [firstRows, endRows, bits] = [[] as number[], [] as number[], [] as number[]];
  for (const row of rows) {
    const own = visit[row]!;
    const page = pageOf(own);
    if (page !== pages.at(-1)) {
      pages.push(page);
      firstRows.push(row);
      endRows.push(row + 1);
      for (let word = 0; word < pageWords; word++) bits.push(0);
    }
    const at = pages.length - 1;
    firstRows[at] = Math.min(firstRows[at]!, row);
    endRows[at] = Math.max(endRows[at]!, row + 1);
    bits[at * pageWords + wordOf(own)]! |= 1 << (own & 31);
  }
  const words = (numbers: readonly number[]) => Uint32Array.from(numbers);
  return {
    pages: words(pages),
    firstRows: words(firstRows),
    endRows: words(endRows),
    bits: Uint32Array.from(bits, (word) => word >>> 0),
    ofSeveralDays: ofSeveralDays(chunk, rows, days),
  };
}

/** `rows`: visit by visit, those of a visit rising. */
function ofSeveralDays({ visit, rows: all }: Chunk, rows: Uint32Array, days: Uint32Array): Uint32Array {
  const dayOf = new Uint8Array(all);
  days.forEach((end, day) => dayOf.fill(day, days[day - 1] ?? 0, end));
  const found: number[] = [];
  for (let from = 0, to = 0; from < rows.length; from = to) {
    while (to < rows.length && visit[rows[to]!] === visit[rows[from]!]) to++;
    if (dayOf[rows[from]!] === dayOf[rows[to - 1]!]) continue;
    for (let at = from; at < to; at++) found.push(rows[at]!);
  }
  return Uint32Array.from(found).sort();
}
