/**
 * A hash table in memory that finds page views by the hash of their beacon. Entries are appended and never change, so a
 * checkpoint can save views of the columns instead of copies. Slots, indexed by hash, point to the entries.
 */
import { growingWords, roomyWords } from "../values/growing.ts";

const entriesMin = 512;

/** The location of a page view: a row in a chunk of a website. */
export interface BeaconPlace {
  readonly websiteId: number;
  readonly chunkNumber: number;
  readonly row: number;
}

export const beaconColumnNames = ["hashLow", "hashHigh", "websiteId", "chunkNumber", "row"] as const;
type BeaconColumnName = (typeof beaconColumnNames)[number];

/** Parallel columns; entries stand in the order in which they were added. */
export type BeaconColumns = Record<BeaconColumnName, Uint32Array>;

export function beaconColumnsOf(of: (name: BeaconColumnName) => Uint32Array): BeaconColumns {
  return Object.fromEntries(beaconColumnNames.map((name) => [name, of(name)])) as BeaconColumns;
}

export class BeaconTable {
  count = 0;
  /** The columns are longer than `count`; only their first `count` entries are filled. */
  readonly columns: BeaconColumns;
  /**
   * Open addressing. A slot holds an entry's number plus 1, or 0 if it is free. At most half of the slots are taken.
   */
  private slots: Uint32Array;
  /** Entries before this number are in the slots. Entries read from a file are put there at the first lookup. */
  private indexed = 0;

  /** `entries`: the number of entries that fit without another copy. */
  constructor(entries = entriesMin) {
    const room = Math.max(entriesMin, entries);
    this.columns = beaconColumnsOf(() => growingWords(room));
    this.slots = new Uint32Array(slotsFor(room));
  }

  static of(columns: BeaconColumns): BeaconTable {
    const { length } = columns.row;
    const table = new BeaconTable(length);
    for (const name of beaconColumnNames) table.columns[name].set(columns[name]);
    table.count = length;
    return table;
  }

  /** Returns a table of the few entries from number `from` on, with room for so many entries at least. */
  since(from: number, entries: number): BeaconTable {
    const rest = new BeaconTable(Math.max(entries, this.count - from));
    const { hashLow, hashHigh } = this.columns;
    for (let at = from; at < this.count; at++) rest.add(hashLow[at]!, hashHigh[at]!, this.place(at));
    return rest;
  }

  /** Returns views of the filled part of the columns, which never changes. */
  filled(): BeaconColumns {
    const { columns, count } = this;
    return beaconColumnsOf((name) => columns[name].subarray(0, count));
  }

  add(low: number, high: number, { websiteId, chunkNumber, row }: BeaconPlace): void {
    if (this.indexed < this.count) this.index();
    const { columns } = this;
    const at = this.count++;
    for (const name of beaconColumnNames) columns[name] = roomyWords(columns[name], this.count);
    columns.hashLow[at] = low;
    columns.hashHigh[at] = high;
    columns.websiteId[at] = websiteId;
    columns.chunkNumber[at] = chunkNumber;
    columns.row[at] = row;
    if (2 * this.count > this.slots.length) this.index();
    else this.insert(at);
    this.indexed = this.count;
  }

  /** Calls `take` with each place that has this hash, in the order in which they were added. */
  find(low: number, high: number, take: (place: BeaconPlace) => void): void {
    if (this.indexed < this.count) this.index();
    const { columns, slots } = this;
    const mask = slots.length - 1;
    for (let slot = low & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = slots[slot]! - 1;
      if (columns.hashLow[at] === low && columns.hashHigh[at] === high) take(this.place(at));
    }
  }

  private place(at: number): BeaconPlace {
    const { websiteId, chunkNumber, row } = this.columns;
    return {
      websiteId: websiteId[at]!,
      chunkNumber: chunkNumber[at]!,
      row: row[at]!,
    };
  }

  private index(): void {
    this.slots = new Uint32Array(slotsFor(this.columns.row.length));
    for (let at = 0; at < this.count; at++) this.insert(at);
    this.indexed = this.count;
  }

  private insert(at: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = this.columns.hashLow[at]! & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = at + 1;
  }
}

/** Returns a power of two. */
function slotsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(2 * entries));
}
