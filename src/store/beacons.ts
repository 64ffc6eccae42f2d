/**
 * Which page view a beacon names: hash of the beacon -> website, chunk, row and load time. Two generations of
 * open-addressing tables: when the younger is a day old, or full, it becomes the older and the older is
 * forgotten; so a page view is found for at least a day, unless more than `beaconsMax` come within it. The
 * hash is 64 bits and seeded by the data folder, so that nobody can make two beacons collide on purpose.
 */
import { pageViewOpenMs } from "../core/hit.ts";

/** Entries of one generation. Format 1: 28 bytes each. */
export const beaconsMax = 2_097_152;
const slotsMin = 1_024;

export interface BeaconEntry {
  readonly websiteId: number;
  readonly chunkNumber: number;
  readonly row: number;
  readonly loadMs: number;
}

/** One table as it is saved: parallel arrays, in slots by hash; a websiteId of 0 is a free slot. */
export interface Generation {
  count: number;
  sinceMs: number;
  hashLow: Uint32Array;
  hashHigh: Uint32Array;
  websiteId: Uint32Array;
  chunkNumber: Uint32Array;
  row: Uint32Array;
  loadMs: Float64Array;
}

export class Beacons {
  young: Generation;
  old: Generation;

  /** `seed`: 64 bits that strangers do not know. */
  constructor(
    private readonly seed: bigint,
    young?: Generation,
    old?: Generation,
  ) {
    this.young = young ?? emptyGeneration(slotsMin, -Infinity);
    this.old = old ?? emptyGeneration(slotsMin, -Infinity);
  }

  add(beacon: string, entry: BeaconEntry): void {
    const { young } = this;
    if (young.count >= beaconsMax || entry.loadMs - young.sinceMs > pageViewOpenMs) {
      this.old = young;
      this.young = emptyGeneration(slotsMin, entry.loadMs);
    } else if (young.count * 2 >= young.websiteId.length) this.young = widened(young);
    const hash = this.hash(beacon);
    insert(this.young, Number(hash & 0xffffffffn), Number(hash >> 32n), entry);
  }

  /** The latest page view with this beacon that `known` accepts; undefined if there is none. */
  find(beacon: string, known: (websiteId: number) => boolean): BeaconEntry | undefined {
    const hash = this.hash(beacon);
    const low = Number(hash & 0xffffffffn);
    const high = Number(hash >> 32n);
    return latest(this.young, low, high, known) ?? latest(this.old, low, high, known);
  }

  private hash(beacon: string): bigint {
    return Bun.hash.wyhash(beacon, this.seed);
  }
}

export function emptyGeneration(slots: number, sinceMs: number): Generation {
  return {
    count: 0,
    sinceMs,
    hashLow: new Uint32Array(slots),
    hashHigh: new Uint32Array(slots),
    websiteId: new Uint32Array(slots),
    chunkNumber: new Uint32Array(slots),
    row: new Uint32Array(slots),
    loadMs: new Float64Array(slots),
  };
}

function insert(table: Generation, low: number, high: number, entry: BeaconEntry): void {
  const mask = table.websiteId.length - 1;
  let slot = low & mask;
  while (table.websiteId[slot] !== 0) slot = (slot + 1) & mask;
  table.count++;
  table.hashLow[slot] = low;
  table.hashHigh[slot] = high;
  table.websiteId[slot] = entry.websiteId;
  table.chunkNumber[slot] = entry.chunkNumber;
  table.row[slot] = entry.row;
  table.loadMs[slot] = entry.loadMs;
}

function latest(
  table: Generation,
  low: number,
  high: number,
  known: (websiteId: number) => boolean,
): BeaconEntry | undefined {
  const mask = table.websiteId.length - 1;
  let found = -1;
  for (let slot = low & mask; table.websiteId[slot] !== 0; slot = (slot + 1) & mask) {
    if (table.hashLow[slot] !== low || table.hashHigh[slot] !== high) continue;
    if (!known(table.websiteId[slot] as number)) continue;
    if (found < 0 || (table.loadMs[slot] as number) >= (table.loadMs[found] as number)) found = slot;
  }
  return found < 0 ? undefined : entryAt(table, found);
}

function entryAt(table: Generation, slot: number): BeaconEntry {
  return {
    websiteId: table.websiteId[slot] as number,
    chunkNumber: table.chunkNumber[slot] as number,
    row: table.row[slot] as number,
    loadMs: table.loadMs[slot] as number,
  };
}

function widened(table: Generation): Generation {
  const wide = emptyGeneration(table.websiteId.length * 2, table.sinceMs);
  for (let slot = 0; slot < table.websiteId.length; slot++)
    if (table.websiteId[slot] !== 0)
      insert(wide, table.hashLow[slot] as number, table.hashHigh[slot] as number, entryAt(table, slot));
  return wide;
}
