/**
 * A run: a file of beacon entries sorted by hash, so that a search works on the file itself and needs no table in
 * memory. An entry takes 15 bytes, and each chunk that the entries name takes 8 more. Most hits look for a beacon that
 * is in no run: the filter ends seven of eight such searches. A run never changes.
 *
 *   filter      8 bits an entry; the bit of the lower half of each entry's hash is 1
 *   hash.high   u32, rising
 *   hash.low    u32
 *   chunk       u32, index into `chunks`
 *   row         u16
 *   chunks      pairs of u32: website, number of its chunk
 */
import { assert } from "../../lib/assert.ts";
import { firstAtLeast } from "../../lib/search.ts";
import { settledBytesOf, type Section } from "../../snapshot/section.ts";
import { rowsByKey } from "../columns/columns.ts";
import type { BeaconColumns, BeaconPlace } from "./beacon-table.ts";
import { growingBytes, growingHalves, growingWords } from "../values/growing.ts";
import { section, viewedHalves, viewedWords, type Sections } from "../../snapshot/named-sections.ts";

const halfValues = 2 ** 16;
/** The filter's size in bits for each entry. */
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
  /**
   * `read` returns the columns of the file. It throws whatever reading the file throws, until one read has succeeded.
   */
  constructor(
    readonly name: string,
    readonly count: number,
    readonly read: () => RunColumns,
  ) {}

  /** Calls `take` with each place that has this hash, in the order in which they were added. */
  find(low: number, high: number, take: (place: BeaconPlace) => void): void {
    const columns = this.read();
    const { filter, hashHigh, hashLow } = columns;
    const bit = bitOf(low, this.count);
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return;
    for (let at = firstAtLeast(hashHigh, high); hashHigh[at] === high; at++)
      if (hashLow[at] === low) take(placeOf(columns, at));
  }
}

/** Returns the place that an entry of a run names. Exported for tests. */
export function placeOf({ chunk, row, chunks }: RunColumns, at: number): BeaconPlace {
  const index = 2 * chunk[at]!;
  return {
    websiteId: chunks[index]!,
    chunkNumber: chunks[index + 1]!,
    row: row[at]!,
  };
}

/**
 * Returns the sections of a run with these entries. Entries with equal hashes stay in the order in which they were
 * added.
 */
export function saveRun({ hashLow, hashHigh, websiteId, chunkNumber, row }: BeaconColumns): Section[] {
  const count = hashHigh.length;
  const order = rowsByKey(hashHigh, count);
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
    const entry = order[at]!;
    const [website, number] = [websiteId[entry]!, chunkNumber[entry]!];
    const key = website * 2 ** 32 + number;
    const index = indexes.get(key) ?? indexes.size;
    if (index === indexes.size) {
      indexes.set(key, index);
      chunks.push(website, number);
    }
    assert(row[entry]! < halfValues, "a row of a chunk that takes hits has 16 bits");
    const bit = bitOf(hashLow[entry]!, count);
    run.filter[bit >>> 3] = run.filter[bit >>> 3]! | (1 << (bit & 7));
    run["hash.high"][at] = hashHigh[entry]!;
    run["hash.low"][at] = hashLow[entry]!;
    run.chunk[at] = index;
    run.row[at] = row[entry]!;
  }
  return [
    ...Object.entries(run).map(([name, column]) => ({ name, data: settledBytesOf(column) })),
    { name: "chunks", data: settledBytesOf(Uint32Array.from(chunks)) },
  ];
}

/** Returns views of the sections that `saveRun` returned. */
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

/** Returns the filter bit for the lower half of a hash, in a run of `count` entries. */
function bitOf(hashLow: number, count: number): number {
  return Math.floor((hashLow / 2 ** 32) * count * filterBits);
}
