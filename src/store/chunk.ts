/**
 * Rows of one website in one UTC month, as columns of one length, in the order in which they were logged, and
 * the properties that belong to them. Only duration and flags of a row ever change, and only until its newest
 * row is a day behind the log; from then on the chunk is sealed and never changes.
 */
import { assert } from "../lib/assert.ts";
import { bounceMs, dayMs } from "../core/hit.ts";
import { columnNames, type ColumnName } from "../core/dimension.ts";
import { grown, IdColumn } from "./column.ts";

export const chunkRowsMin = 256;
/** Format 1. */
export const chunkRowsMax = 65_536;

/** Bits of `flags`. */
export const rowFlag = {
  /** The hit's `p`: the first page view of a visitor. */
  unique: 1,
  /** The first view of this page by a visitor: `p`, or not `q`. */
  first: 2,
  /** The time on the page is known. */
  timed: 4,
  /** Known, and under five seconds. */
  short: 8,
  /** Had a custom event. */
  evented: 16,
  /** No page view at all: the row of an event without one. */
  bare: 32,
} as const;
export const rowFlagsMax = 64;

/** `propertyRow` of a property that moved to the page view which came after it. */
export const movedRow = 0xffffffff;

export interface RowTuples {
  readonly path: number;
  readonly client: number;
  readonly place: number;
  readonly source: number;
}

export class Chunk {
  rows = 0;
  /** Milliseconds since the start of the month. */
  time = new Uint32Array(chunkRowsMin);
  readonly ids: Record<ColumnName, IdColumn>;
  flags = new Uint8Array(chunkRowsMin);
  /** Milliseconds; 0 while unknown. */
  duration = new Uint32Array(chunkRowsMin);

  properties = 0;
  propertyName = new Uint32Array(0);
  propertyValue = new Uint32Array(0);
  propertyRow = new Uint32Array(0);
  /** Milliseconds since a day before the start of the month: an event may come a little before its load. */
  propertyTime = new Uint32Array(0);

  /** Whether `time` never falls, so that a period is a range of rows. */
  sorted = true;
  minMs = Infinity;
  maxMs = -Infinity;
  propertyMinMs = Infinity;
  propertyMaxMs = -Infinity;
  /** Counts changes; a checkpoint writes the chunk again when it has moved. */
  version = 0;

  constructor(
    /** Unique in its website, never reused. */
    readonly number: number,
    /** Start of the UTC month, milliseconds since 1970. */
    readonly monthMs: number,
  ) {
    const column = () => new IdColumn(new Uint16Array(chunkRowsMin));
    this.ids = { path: column(), client: column(), place: column(), source: column() };
  }

  get full(): boolean {
    return this.rows === chunkRowsMax;
  }

  /** Appends a row; `timeMs` lies in the month. Returns its number. */
  addRow(timeMs: number, tuples: RowTuples, flags: number): number {
    assert(!this.full, `chunk ${this.number} is full`);
    const row = this.rows++;
    if (row === this.time.length) this.growRows(this.time.length * 2);
    this.time[row] = timeMs - this.monthMs;
    for (const name of columnNames) this.ids[name].set(row, tuples[name]);
    this.flags[row] = flags;
    if (timeMs < this.maxMs) this.sorted = false;
    this.minMs = Math.min(this.minMs, timeMs);
    this.maxMs = Math.max(this.maxMs, timeMs);
    this.version++;
    return row;
  }

  /** The time on the page of a row; of several the longest stands. */
  addDuration(row: number, ms: number): void {
    const flags = this.flags[row] as number;
    if (flags & rowFlag.timed && ms <= (this.duration[row] as number)) return;
    this.duration[row] = ms;
    this.flags[row] = (flags & ~rowFlag.short) | rowFlag.timed | (ms < bounceMs ? rowFlag.short : 0);
    this.version++;
  }

  markEvented(row: number): void {
    this.flags[row] = (this.flags[row] as number) | rowFlag.evented;
    this.version++;
  }

  /** Returns the property's index. */
  addProperty(row: number, nameId: number, valueId: number, timeMs: number): number {
    const index = this.properties++;
    if (index === this.propertyRow.length) this.growProperties(Math.max(64, index * 2));
    this.propertyName[index] = nameId;
    this.propertyValue[index] = valueId;
    this.propertyRow[index] = row;
    this.propertyTime[index] = timeMs - this.monthMs + dayMs;
    this.propertyMinMs = Math.min(this.propertyMinMs, timeMs);
    this.propertyMaxMs = Math.max(this.propertyMaxMs, timeMs);
    this.version++;
    return index;
  }

  /** Gives up a property that now lives with another row. */
  moveProperty(index: number): void {
    this.propertyRow[index] = movedRow;
    this.version++;
  }

  propertyTimeMs(index: number): number {
    return (this.propertyTime[index] as number) + this.monthMs - dayMs;
  }

  check(): void {
    const capacity = this.time.length;
    const columns = [...columnNames.map((name) => this.ids[name].values), this.flags, this.duration];
    for (const column of columns)
      assert(column.length === capacity, `chunk ${this.number}: columns of one length`);
    assert(this.rows <= capacity && this.rows <= chunkRowsMax, `chunk ${this.number}: rows within capacity`);
    for (let row = 0; row < this.rows; row++) this.checkRow(row);
    for (let index = 0; index < this.properties; index++) {
      const row = this.propertyRow[index] as number;
      assert(row < this.rows || row === movedRow, `chunk ${this.number}: property ${index} has a row`);
    }
  }

  private checkRow(row: number): void {
    const flags = this.flags[row] as number;
    const ms = this.duration[row] as number;
    const timed = (flags & rowFlag.timed) !== 0;
    assert(flags < rowFlagsMax, `row ${row}: known flags`);
    assert(timed || ms === 0, `row ${row}: no duration without the flag`);
    assert(
      ((flags & rowFlag.short) !== 0) === (timed && ms < bounceMs),
      `row ${row}: short is under the bounce time`,
    );
    assert(
      (flags & rowFlag.unique) === 0 || (flags & rowFlag.first) !== 0,
      `row ${row}: unique is a first view`,
    );
    if (this.sorted && row > 0)
      assert((this.time[row] as number) >= (this.time[row - 1] as number), `row ${row}: sorted by time`);
  }

  private growRows(capacity: number): void {
    this.time = grown(this.time, new Uint32Array(capacity));
    for (const name of columnNames) this.ids[name].grow(capacity);
    this.flags = grown(this.flags, new Uint8Array(capacity));
    this.duration = grown(this.duration, new Uint32Array(capacity));
  }

  private growProperties(capacity: number): void {
    this.propertyName = grown(this.propertyName, new Uint32Array(capacity));
    this.propertyValue = grown(this.propertyValue, new Uint32Array(capacity));
    this.propertyRow = grown(this.propertyRow, new Uint32Array(capacity));
    this.propertyTime = grown(this.propertyTime, new Uint32Array(capacity));
  }
}

/** The first row from `low` on, before `high`, that is not before `ms`; `high` if there is none. The chunk is sorted. */
export function firstFrom(
  { time, monthMs }: Pick<Chunk, "time" | "monthMs">,
  ms: number,
  low: number,
  high: number,
): number {
  const wanted = ms - monthMs;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((time[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
