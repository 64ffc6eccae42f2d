/**
 * Beacons in a file: entries by hash, so that they are found where they lie, without a table in memory. 15 bytes each,
 * and 8 for each chunk that they name. Most hits look for a beacon that is in no run: seven of eight searches end at the
 * filter. A run never changes.
 *
 *   filter      8 bits an entry; the bit of each one's lower half of the hash is 1
 *   hash.high   u32, in order
 *   hash.low    u32
 *   chunk       u32, index into `chunks`
 *   row         u16
 *   chunks      pairs of u32: website, number of its chunk
 */
import { assert } from "../../lib/assert.ts";
import { settledBytesOf, type Section } from "../../snapshot/section.ts";
import type { BeaconColumns, BeaconPlace } from "./beacon-table.ts";
import { growingBytes, growingHalves, growingWords } from "../values/growing.ts";
import { section, viewedHalves, viewedWords, type Sections } from "../../snapshot/named-sections.ts";

const halfBits = 16;
const halfValues = 2 ** halfBits;
/** The filter has so many bits for each entry. */
const filterBits = 8;

export interface RunColumns {
  readonly filter: Uint8Array;
  readonly hashHigh: Uint32Array;
  readonly hashLow: Uint32Array;
  readonly chunk: Uint32Array;
  readonly row: Uint16Array;
  readonly chunks: Uint32Array;
}

export class BeaconRun {
  /** `read`: the columns of the file; throws what reading it throws, and only until it was read once. */
  constructor(
    readonly name: string,
    readonly count: number,
    readonly read: () => RunColumns,
  ) {}

  /** Calls `take` with each place that has this hash, in the order in which they came. */
  find(low: number, high: number, take: (place: BeaconPlace) => void): void {
    const columns = this.read();
    const { filter, hashHigh, hashLow } = columns;
    const bit = bitOf(low, this.count);
    if (((filter[bit >>> 3] as number) & (1 << (bit & 7))) === 0) return;
    for (let at = firstOf(hashHigh, high); hashHigh[at] === high; at++)
      if (hashLow[at] === low) take(placeOf(columns, at));
  }
}

/** The place that an entry of a run names. */
export function placeOf({ chunk, row, chunks }: RunColumns, at: number): BeaconPlace {
  const index = 2 * (chunk[at] as number);
  return {
    websiteId: chunks[index] as number,
    chunkNumber: chunks[index + 1] as number,
    row: row[at] as number,
  };
}

/** The sections of a run of these entries. Those of one hash stay in the order in which they came. */
export function saveRun({ hashLow, hashHigh, websiteId, chunkNumber, row }: BeaconColumns): Section[] {
  const order = orderOf(hashHigh);
  const count = order.length;
  const run = {
    filter: growingBytes(Math.ceil((count * filterBits) / 8)),
    "hash.high": growingWords(count),
    "hash.low": growingWords(count),
    chunk: growingWords(count),
    row: growingHalves(count),
  };
  const indexes = new Map<number, number>();
  const chunks: number[] = [];
  for (let at = 0; at < count; at++) {
    const entry = order[at] as number;
    const [website, number] = [websiteId[entry] as number, chunkNumber[entry] as number];
    const key = website * 2 ** 32 + number;
    const index = indexes.get(key) ?? indexes.size;
    if (index === indexes.size) {
      indexes.set(key, index);
      chunks.push(website, number);
    }
    assert((row[entry] as number) < halfValues, "a row of a chunk that takes hits has 16 bits");
    const bit = bitOf(hashLow[entry] as number, count);
    run.filter[bit >>> 3] = (run.filter[bit >>> 3] as number) | (1 << (bit & 7));
    run["hash.high"][at] = hashHigh[entry] as number;
    run["hash.low"][at] = hashLow[entry] as number;
    run.chunk[at] = index;
    run.row[at] = row[entry] as number;
  }
  return [
    ...Object.entries(run).map(([name, column]) => ({ name, data: settledBytesOf(column) })),
    { name: "chunks", data: settledBytesOf(Uint32Array.from(chunks)) },
  ];
}

/** Views of what `saveRun` gave. */
export function viewRun(sections: Sections): RunColumns {
  return {
    filter: section(sections, "filter"),
    hashHigh: viewedWords(sections, "hash.high"),
    hashLow: viewedWords(sections, "hash.low"),
    chunk: viewedWords(sections, "chunk"),
    row: viewedHalves(sections, "row"),
    chunks: viewedWords(sections, "chunks"),
  };
}

/** The bit of a lower half of a hash in the filter of so many entries. */
function bitOf(hashLow: number, count: number): number {
  return Math.floor((hashLow / 2 ** 32) * count * filterBits);
}

/** The first entry whose upper half of the hash is not less than `wanted`. */
function firstOf(hashHigh: Uint32Array, wanted: number): number {
  let [low, end] = [0, hashHigh.length];
  while (low < end) {
    const middle = (low + end) >>> 1;
    if ((hashHigh[middle] as number) < wanted) low = middle + 1;
    else end = middle;
  }
  return low;
}

/** Numbers of entries by the upper half of the hash; equal ones in their order. Counts by 16 bits at a time. */
function orderOf(hashHigh: Uint32Array): Uint32Array {
  const count = hashHigh.length;
  let [order, next] = [Uint32Array.from({ length: count }, (_, at) => at), new Uint32Array(count)];
  for (const shift of [0, halfBits]) {
    const places = new Uint32Array(halfValues + 1);
    const digit = (entry: number) => ((hashHigh[entry] as number) >>> shift) & (halfValues - 1);
    for (let entry = 0; entry < count; entry++) {
      const after = digit(entry) + 1;
      places[after] = (places[after] as number) + 1;
    }
    for (let value = 1; value <= halfValues; value++)
      places[value] = (places[value] as number) + (places[value - 1] as number);
    for (let at = 0; at < count; at++) {
      const entry = order[at] as number;
      const value = digit(entry);
      const place = places[value] as number;
      places[value] = place + 1;
      next[place] = entry;
    }
    [order, next] = [next, order];
  }
  return order;
}
