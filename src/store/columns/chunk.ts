/**
 * Rows of one website in one UTC month, as columns of one length, in the order in which they were logged, and
 * the properties that belong to them. Only duration and flags of a row ever change, and only for a day after its
 * load. A chunk is sealed once no hit can reach it any more: nothing of it changes from then on, and its columns
 * may leave memory for a file, where they are by time.
 */
import { assert } from "../../lib/assert.ts";
import { bounceMs, dayMs, pageViewOpenMs } from "../../core/hit.ts";
import { columnNames, type ColumnName } from "../../core/dimension.ts";
import { emptyColumns, growProperties, growRows, movedRow, type Columns } from "./columns.ts";
import type { ChunkIds } from "./renumber.ts";

export { movedRow };

export const chunkRowsMin = 256;
/** A chunk takes no more rows than these; merged ones have more. Format 1. */
export const chunkRowsMax = 65_536;
/** Format 1. A chunk with so many is full: what strangers send of one page view must not make a file that has no end. */
export const chunkPropertiesMax = 4 * chunkRowsMax;

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
/** All bits, and one. */
export const rowFlagsMax = 2 * Math.max(...Object.values(rowFlag));

/** The id that a row has in each column. */
export type RowIds = Readonly<Record<ColumnName, number>>;

/** What is known of a chunk without its columns. */
export interface ChunkHead {
  readonly number: number;
  readonly monthMs: number;
  readonly rows: number;
  readonly properties: number;
  readonly sorted: boolean;
  /** minMs, maxMs, propertyMinMs, propertyMaxMs; null where there is none. */
  readonly bounds: readonly (number | null)[];
}

/** Whose rows a chunk has, under other ids. */
export interface Origin {
  readonly chunk: Chunk;
  readonly ids: ChunkIds;
}

const noColumns = emptyColumns(0);

/** The end of the UTC month that starts at `monthMs`. */
export function monthEndMs(monthMs: number): number {
  const month = new Date(monthMs);
  return Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1);
}

export class Chunk {
  rows = 0;
  properties = 0;
  /** Whether `time` never falls, so that a period is a range of rows. */
  sorted = true;
  minMs = Infinity;
  maxMs = -Infinity;
  propertyMinMs = Infinity;
  propertyMaxMs = -Infinity;
  /** Counts changes; a checkpoint writes the chunk again when it has moved. */
  version = 0;
  /** How often its columns came to be somewhere else; 0 while they are in memory. */
  place = 0;
  /** Until its columns are in a file of its own, they are made of those of that chunk, which are in one. */
  origin: Origin | undefined;
  private isSealed = false;
  private own: Columns | undefined;
  /** Reads the columns into memory when they are first asked for. */
  private unread: (() => Columns) | undefined;
  /** Maps the columns while they are in a file. */
  private stored: (() => Columns) | undefined;

  constructor(
    /** Unique in its website, never reused. */
    readonly number: number,
    /** Start of the UTC month, milliseconds since 1970. */
    readonly monthMs: number,
    columns: Columns | (() => Columns) = emptyColumns(chunkRowsMin),
  ) {
    if (typeof columns === "function") this.unread = columns;
    else this.own = columns;
  }

  /** Has its rows in `columns`, or in what that makes of them, which may throw. */
  static open(head: ChunkHead, columns: Columns | (() => Columns)): Chunk {
    const chunk = new Chunk(head.number, head.monthMs, columns);
    const [minMs, maxMs, propertyMinMs, propertyMaxMs] = head.bounds;
    chunk.rows = head.rows;
    chunk.properties = head.properties;
    chunk.sorted = head.sorted;
    chunk.minMs = minMs ?? Infinity;
    chunk.maxMs = maxMs ?? -Infinity;
    chunk.propertyMinMs = propertyMinMs ?? Infinity;
    chunk.propertyMaxMs = propertyMaxMs ?? -Infinity;
    return chunk;
  }

  /** Has its rows where `stored` finds them, which may throw. */
  static sealed(head: ChunkHead, stored: () => Columns): Chunk {
    const chunk = Chunk.open(head, noColumns);
    chunk.isSealed = true;
    chunk.store(stored);
    return chunk;
  }

  /** The same rows, as another object whose columns are made of those of `origin`. */
  derived(origin: Origin, columns: () => Columns): Chunk {
    const copy = Chunk.sealed(this.head, columns);
    copy.version = this.version + 1;
    copy.origin = origin;
    return copy;
  }

  get head(): ChunkHead {
    const { number, monthMs, rows, properties, sorted } = this;
    const bounds = [this.minMs, this.maxMs, this.propertyMinMs, this.propertyMaxMs];
    return {
      number,
      monthMs,
      rows,
      properties,
      sorted,
      bounds: bounds.map((ms) => (Number.isFinite(ms) ? ms : null)),
    };
  }

  /** Takes no more rows, durations, marks or properties. */
  get sealed(): boolean {
    return this.isSealed;
  }

  /** The columns are in memory, or come there when they are asked for. */
  get resident(): boolean {
    return this.stored === undefined;
  }

  // They may be in a file that cannot be read: this throws then, and so does each of them.
  get columns(): Columns {
    return this.stored?.() ?? (this.own ??= (this.unread as () => Columns)());
  }

  get time(): Uint32Array {
    return this.columns.time;
  }

  get ids(): Columns["ids"] {
    return this.columns.ids;
  }

  get flags(): Uint8Array {
    return this.columns.flags;
  }

  get duration(): Uint32Array {
    return this.columns.duration;
  }

  get propertyName(): Uint32Array {
    return this.columns.propertyName;
  }

  get propertyValue(): Uint32Array {
    return this.columns.propertyValue;
  }

  get propertyRow(): Uint32Array {
    return this.columns.propertyRow;
  }

  get propertyTime(): Uint32Array {
    return this.columns.propertyTime;
  }

  /** Takes no more rows. */
  get full(): boolean {
    return this.rows >= chunkRowsMax || !this.hasRoomForProperties;
  }

  /** It may have some more than it should: those of an event are not torn apart. */
  get hasRoomForProperties(): boolean {
    return this.properties < chunkPropertiesMax;
  }

  /**
   * Whether no hit of that log time or later reaches it, but for one that a clock which was set back has late: its
   * newest row is a day behind, and it takes no more rows, for it is full or its month is over.
   */
  isDoneBy(timeMs: number): boolean {
    if (timeMs - this.maxMs <= pageViewOpenMs) return false;
    return this.full || timeMs >= monthEndMs(this.monthMs);
  }

  /** From here on nothing changes it. */
  seal(): void {
    assert(!this.isSealed, `chunk ${this.number} is not sealed`);
    this.isSealed = true;
  }

  /**
   * Gives up the columns in memory for the same ones elsewhere, whose rows are by time; the chunk is sealed. Rows that
   * were not in order have new numbers.
   */
  store(columns: () => Columns): void {
    assert(this.isSealed, `chunk ${this.number} is sealed before it is stored`);
    this.own = undefined;
    this.origin = undefined;
    this.stored = columns;
    this.place++;
    if (this.sorted) return;
    this.sorted = true;
    this.version++;
  }

  /** The same rows, as another object with columns of its own in memory. */
  withColumns(columns: Columns): Chunk {
    const copy = Chunk.open(this.head, columns);
    copy.version = this.version + 1;
    copy.isSealed = this.isSealed;
    return copy;
  }

  /** Appends a row; `timeMs` lies in the month. Returns its number. */
  addRow(timeMs: number, ids: RowIds, flags: number): number {
    const columns = this.writable();
    assert(!this.full, `chunk ${this.number} is full`);
    const row = this.rows++;
    if (row === columns.time.length) growRows(columns, Math.max(chunkRowsMin, row * 2));
    columns.time[row] = timeMs - this.monthMs;
    for (const name of columnNames) columns.ids[name].set(row, ids[name]);
    columns.flags[row] = flags;
    if (timeMs < this.maxMs) this.sorted = false;
    this.minMs = Math.min(this.minMs, timeMs);
    this.maxMs = Math.max(this.maxMs, timeMs);
    this.version++;
    return row;
  }

  /** The time on the page of a row; of several the longest stands. */
  addDuration(row: number, ms: number): void {
    const { flags, duration } = this.writable();
    const before = flags[row] as number;
    if (before & rowFlag.timed && ms <= (duration[row] as number)) return;
    duration[row] = ms;
    flags[row] = (before & ~rowFlag.short) | rowFlag.timed | (ms < bounceMs ? rowFlag.short : 0);
    this.version++;
  }

  markEvented(row: number): void {
    const { flags } = this.writable();
    flags[row] = (flags[row] as number) | rowFlag.evented;
    this.version++;
  }

  /** Returns the property's index. */
  addProperty(row: number, nameId: number, valueId: number, timeMs: number): number {
    const columns = this.writable();
    const index = this.properties++;
    if (index === columns.propertyRow.length) growProperties(columns, Math.max(64, index * 2));
    columns.propertyName[index] = nameId;
    columns.propertyValue[index] = valueId;
    columns.propertyRow[index] = row;
    columns.propertyTime[index] = timeMs - this.monthMs + dayMs;
    this.propertyMinMs = Math.min(this.propertyMinMs, timeMs);
    this.propertyMaxMs = Math.max(this.propertyMaxMs, timeMs);
    this.version++;
    return index;
  }

  /** Gives up a property that now lives with another row. */
  moveProperty(index: number): void {
    this.writable().propertyRow[index] = movedRow;
    this.version++;
  }

  propertyTimeMs(index: number): number {
    return (this.propertyTime[index] as number) + this.monthMs - dayMs;
  }

  /** A file's columns are never written to: the change would be in this process alone. */
  private writable(): Columns {
    assert(!this.isSealed, `chunk ${this.number} is not sealed`);
    return this.columns;
  }
}
