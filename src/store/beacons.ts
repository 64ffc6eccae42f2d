/**
 * Which page view a beacon names: hash of the beacon -> website, chunk, row and load time. Two generations: when the
 * younger is a day old, or full, it becomes the older and the older is forgotten; so a page view is found for at
 * least a day, unless more than `beaconsMax` come within it. The hash is 64 bits and seeded by the data folder, so
 * that nobody can make two beacons collide on purpose.
 */
import { pageViewOpenMs } from "../core/hit.ts";
import { growingNumbers, growingWords, roomyNumbers, roomyWords } from "./growing.ts";

/** Entries of one generation. Format 1: 28 bytes each. */
export const beaconsMax = 2_097_152;
const entriesMin = 512;

export interface BeaconEntry {
  readonly websiteId: number;
  readonly chunkNumber: number;
  readonly row: number;
  readonly loadMs: number;
}

/** Entries as they are saved: parallel columns in the order in which they came; the first `count` count. */
export interface BeaconColumns {
  hashLow: Uint32Array;
  hashHigh: Uint32Array;
  websiteId: Uint32Array;
  chunkNumber: Uint32Array;
  row: Uint32Array;
  loadMs: Float64Array;
}

/** Entries only come, and never change: a checkpoint sees them where they lie. Slots by hash find them. */
export class Generation {
  count = 0;
  readonly columns: BeaconColumns;
  /** Open addressing: an entry's number and 1, or 0. At least twice as many as entries. */
  private slots: Uint32Array;

  /** `entries`: so many have room without another copy. */
  constructor(
    readonly sinceMs: number,
    entries = entriesMin,
  ) {
    this.columns = {
      hashLow: growingWords(entries),
      hashHigh: growingWords(entries),
      websiteId: growingWords(entries),
      chunkNumber: growingWords(entries),
      row: growingWords(entries),
      loadMs: growingNumbers(entries),
    };
    this.slots = new Uint32Array(slotsFor(entries));
  }

  /** Of columns that were saved. */
  static load(sinceMs: number, columns: BeaconColumns): Generation {
    const { length } = columns.websiteId;
    const generation = new Generation(sinceMs, Math.max(entriesMin, length));
    for (const [name, column] of Object.entries(columns)) generation.columns[name as "row"].set(column);
    generation.count = length;
    generation.rehash();
    return generation;
  }

  add(low: number, high: number, { websiteId, chunkNumber, row, loadMs }: BeaconEntry): void {
    const { columns } = this;
    const at = this.count++;
    columns.hashLow = roomyWords(columns.hashLow, this.count);
    columns.hashHigh = roomyWords(columns.hashHigh, this.count);
    columns.websiteId = roomyWords(columns.websiteId, this.count);
    columns.chunkNumber = roomyWords(columns.chunkNumber, this.count);
    columns.row = roomyWords(columns.row, this.count);
    columns.loadMs = roomyNumbers(columns.loadMs, this.count);
    columns.hashLow[at] = low;
    columns.hashHigh[at] = high;
    columns.websiteId[at] = websiteId;
    columns.chunkNumber[at] = chunkNumber;
    columns.row[at] = row;
    columns.loadMs[at] = loadMs;
    if (2 * this.count > this.slots.length) this.rehash();
    else this.place(at);
  }

  /** The latest entry with that hash that `known` accepts; undefined if there is none. */
  latest(low: number, high: number, known: (websiteId: number) => boolean): BeaconEntry | undefined {
    const { columns, slots } = this;
    const mask = slots.length - 1;
    let found = -1;
    for (let slot = low & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = (slots[slot] as number) - 1;
      if (columns.hashLow[at] !== low || columns.hashHigh[at] !== high) continue;
      if (!known(columns.websiteId[at] as number)) continue;
      if (found < 0 || (columns.loadMs[at] as number) >= (columns.loadMs[found] as number)) found = at;
    }
    return found < 0 ? undefined : this.entry(found);
  }

  private entry(at: number): BeaconEntry {
    const { websiteId, chunkNumber, row, loadMs } = this.columns;
    return {
      websiteId: websiteId[at] as number,
      chunkNumber: chunkNumber[at] as number,
      row: row[at] as number,
      loadMs: loadMs[at] as number,
    };
  }

  private rehash(): void {
    this.slots = new Uint32Array(slotsFor(this.columns.row.length));
    for (let at = 0; at < this.count; at++) this.place(at);
  }

  private place(at: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = (this.columns.hashLow[at] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = at + 1;
  }
}

/** A power of two. */
function slotsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(2 * entries));
}

export class Beacons {
  /** `seed`: 64 bits that strangers do not know. */
  constructor(
    private readonly seed: bigint,
    public young = new Generation(-Infinity),
    public old = new Generation(-Infinity),
  ) {}

  add(beacon: string, entry: BeaconEntry): void {
    if (this.young.count >= beaconsMax || entry.loadMs - this.young.sinceMs > pageViewOpenMs) {
      this.old = this.young;
      // A day is much like the one before: with room for as many nothing has to be copied in its busiest hour.
      this.young = new Generation(entry.loadMs, Math.max(entriesMin, this.old.count));
    }
    const hash = this.hash(beacon);
    this.young.add(Number(hash & 0xffffffffn), Number(hash >> 32n), entry);
  }

  /** The latest page view with this beacon that `known` accepts; undefined if there is none. */
  find(beacon: string, known: (websiteId: number) => boolean): BeaconEntry | undefined {
    const hash = this.hash(beacon);
    const low = Number(hash & 0xffffffffn);
    const high = Number(hash >> 32n);
    return this.young.latest(low, high, known) ?? this.old.latest(low, high, known);
  }

  private hash(beacon: string): bigint {
    return Bun.hash.wyhash(beacon, this.seed);
  }
}
