/**
 * The rows of one website in one UTC month, as columns of one length in the order in which they were logged, and the
 * properties that belong to them. Hits change the flags and the duration of a row, the marks of its visit and the rows of
 * properties, for a day after its load only. Removing rows and folding names make another chunk of it (renumber.ts).
 * A chunk is sealed when its newest row is a day behind and it takes no more rows, because it is full or its month is
 * over. A record of the log seals it, so a replay seals where the server did. From then on nothing in it changes, and
 * its columns may move from memory to a file, where the rows are sorted by time. check-chunk.ts says where they are when.
 */
import { assert } from "../../lib/assert.ts";
import { bounceMs, dayMs, engagedMs, pageViewOpenMs } from "../../core/hit.ts";
import { columnNames } from "../../core/questions/dimension.ts";
import type { Basis } from "../columns/basis.ts";
import type { ChangedRows } from "./changed-rows.ts";
import { chunkPropertiesMax, chunkRowsMax, chunkRowsMin, type ChunkHead, type RowIds } from "./chunk-head.ts";
import { emptyColumns, growProperties, growRows, movedRow, type Columns } from "../columns/columns.ts";
import { monthEndMs } from "./month.ts";
import type { Rewrite } from "../columns/renumber.ts";
import { rowFlag, visitFlag } from "../columns/row-flag.ts";

/** The chunk from whose columns those of another are made. */
export interface RewrittenFrom {
  readonly chunk: Chunk;
  readonly rewrites: readonly Rewrite[];
}

const noColumns = emptyColumns(0);

export class Chunk {
  rows = 0;
  properties = 0;
  /** Whether `time` never falls, so that a period is a range of rows. */
  sorted = true;
  minMs = Infinity;
  maxMs = -Infinity;
  propertyMinMs = Infinity;
  propertyMaxMs = -Infinity;
  /** Counts changes. A checkpoint writes the chunk again when it has changed. */
  version = 0;
  /** Counts the moves of its columns to another place; 0 while they are in memory. */
  moves = 0;
  /** The columns are made from those of `rewrittenFrom.chunk`, in a file, until they are in a file of their own. */
  rewrittenFrom: RewrittenFrom | undefined;
  /** The file with all rows that some of the columns in memory are mapped from; known once they were read. */
  basis: Basis | undefined;
  /** Knows the changes since the newest file with all rows was begun; undefined if none was, or it was not read. */
  changed: ChangedRows | undefined;
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

  /** Returns a chunk with its rows in `columns`, or in the columns that this function returns; it may throw. */
  static open(head: ChunkHead, columns: Columns | (() => Columns)): Chunk {
    const chunk = new Chunk(head.number, head.monthMs, columns);
    const [minMs, maxMs, propertyMinMs, propertyMaxMs] = head.bounds;
    ({ rows: chunk.rows, properties: chunk.properties, sorted: chunk.sorted } = head);
    chunk.minMs = minMs ?? Infinity;
    chunk.maxMs = maxMs ?? -Infinity;
    chunk.propertyMinMs = propertyMinMs ?? Infinity;
    chunk.propertyMaxMs = propertyMaxMs ?? -Infinity;
    return chunk;
  }

  /** Returns a sealed chunk with its rows in the columns that `stored` returns; it may throw. */
  static sealed(head: ChunkHead, stored: () => Columns): Chunk {
    const chunk = Chunk.open(head, noColumns);
    chunk.isSealed = true;
    chunk.store(stored);
    return chunk;
  }

  /** Does the same for a chunk that is not stored yet, of which another thread publishes the changes. */
  static mirrored(head: ChunkHead, stored: () => Columns): Chunk {
    const chunk = Chunk.open(head, noColumns);
    chunk.stored = stored;
    return chunk;
  }

  /** Returns a chunk whose columns are made from those of another. */
  madeFrom(rewrittenFrom: RewrittenFrom, columns: () => Columns, head: ChunkHead): Chunk {
    const copy = Chunk.sealed(head, columns);
    // Rows that no checkpoint has yet may be in another order.
    return Object.assign(copy, { version: this.version + 1, rewrittenFrom, sorted: head.sorted });
  }

  get head(): ChunkHead {
    const { number, monthMs, rows, properties, sorted } = this;
    const times = [this.minMs, this.maxMs, this.propertyMinMs, this.propertyMaxMs];
    const bounds = times.map((ms) => (Number.isFinite(ms) ? ms : null));
    return { number, monthMs, rows, properties, sorted, bounds };
  }

  /** Whether it takes no more rows, durations, marks or properties. */
  get sealed(): boolean {
    return this.isSealed;
  }

  /** Whether the columns are in memory, or are read into memory at the first use. */
  get resident(): boolean {
    return this.stored === undefined;
  }

  /** Whether the columns in memory were asked for. */
  get isRead(): boolean {
    return this.own !== undefined;
  }

  // If the columns are in a file that cannot be read, this throws, and so does the getter of each column below.
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

  get visit(): Uint32Array {
    return this.columns.visit;
  }

  get visitFlags(): Uint8Array {
    return this.columns.visitFlags;
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

  get propertyNumber(): Float64Array {
    return this.columns.propertyNumber;
  }

  /** Whether it takes no more rows. */
  get full(): boolean {
    return this.rows >= chunkRowsMax || !this.hasRoomForProperties;
  }

  /** Whether an event may add its properties, which are not split between chunks and may exceed the limit a little. */
  get hasRoomForProperties(): boolean {
    return this.properties < chunkPropertiesMax;
  }

  /** Returns whether no hit logged from `timeMs` on reaches the chunk, except under a clock that was set back. */
  isDoneBy(timeMs: number): boolean {
    return timeMs - this.maxMs > pageViewOpenMs && (this.full || timeMs >= monthEndMs(this.monthMs));
  }

  /** Marks the chunk as sealed: from here on nothing in it changes. */
  seal(): void {
    assert(!this.isSealed, `chunk ${this.number} is not sealed`);
    this.isSealed = true;
  }

  /** Replaces the columns in memory by the same ones, of which some are mapped from a file. */
  base(columns: Columns, basis: Basis): void {
    this.own = columns;
    this.basis = basis;
    this.moves++;
  }

  /** Moves the columns of a sealed chunk elsewhere, by time: rows that were not in order before have new numbers now. */
  store(columns: () => Columns): void {
    assert(this.isSealed, `chunk ${this.number} is sealed before it is stored`);
    this.own = this.rewrittenFrom = this.basis = this.changed = undefined;
    this.stored = columns;
    this.moves++;
    if (this.sorted) return;
    this.sorted = true;
    this.version++;
  }

  /** Returns a chunk with `columns`, which are in memory. */
  withColumns(columns: Columns, head: ChunkHead): Chunk {
    const copy = Chunk.open(head, columns);
    copy.version = this.version + 1;
    copy.isSealed = this.isSealed;
    return copy;
  }

  /** Appends a row and returns its number; `timeMs` lies in the month. `visit`: the number of its visit, 0 for none. */
  addRow(timeMs: number, ids: RowIds, flags: number, visit = 0): number {
    const columns = this.writable();
    assert(!this.full, `chunk ${this.number} is full`);
    const row = this.rows++;
    if (row === columns.time.length) growRows(columns, Math.max(chunkRowsMin, row * 2));
    this.basis = this.changed = undefined;
    columns.time[row] = timeMs - this.monthMs;
    for (const name of columnNames) columns.ids[name].set(row, ids[name]);
    columns.flags[row] = flags;
    columns.visit[row] = visit;
    if (timeMs < this.maxMs) this.sorted = false;
    this.minMs = Math.min(this.minMs, timeMs);
    this.maxMs = Math.max(this.maxMs, timeMs);
    this.version++;
    return row;
  }

  /** Sets the time on the page of a row; the longest time that was ever set stays. */
  addDuration(row: number, ms: number): void {
    const { flags, duration } = this.writable();
    const before = flags[row]!;
    if (before & rowFlag.timed && ms <= duration[row]!) return;
    duration[row] = ms;
    flags[row] = (before & ~rowFlag.short) | rowFlag.timed | (ms < bounceMs ? rowFlag.short : 0);
    if (ms >= engagedMs) this.markEngaged(row);
    this.changed?.add(row);
    this.version++;
  }

  markEvented(row: number): void {
    this.writable().flags[row]! |= rowFlag.evented;
    this.markEngaged(row);
    this.changed?.add(row);
    this.version++;
  }

  /** Sets bits of `visitFlag` of a row, and clears others. Most are so already, which is no change. */
  markVisit(row: number, set: number, cleared = 0): void {
    const { visitFlags } = this.writable();
    const now = (visitFlags[row]! & ~cleared) | set;
    if (now === visitFlags[row]) return;
    visitFlags[row] = now;
    this.changed?.add(row);
    this.version++;
  }

  private markEngaged(row: number): void {
    if (this.visitFlags[row]! & visitFlag.entry) this.markVisit(row, visitFlag.engaged);
  }

  /** Adds a property and returns its index; `value`: NaN for one that is no number; -0 becomes 0, as in the log. */
  addProperty(row: number, nameId: number, valueId: number, timeMs: number, value = NaN): number {
    const columns = this.writable();
    const index = this.properties++;
    if (index === columns.propertyRow.length) growProperties(columns, Math.max(64, index * 2));
    columns.propertyName[index] = nameId;
    columns.propertyValue[index] = valueId;
    columns.propertyRow[index] = row;
    columns.propertyTime[index] = timeMs - this.monthMs + dayMs;
    columns.propertyNumber[index] = value + 0;
    this.propertyMinMs = Math.min(this.propertyMinMs, timeMs);
    this.propertyMaxMs = Math.max(this.propertyMaxMs, timeMs);
    this.version++;
    return index;
  }

  /** Marks a property as moved: it now belongs to a row elsewhere. */
  moveProperty(index: number): void {
    this.writable().propertyRow[index] = movedRow;
    this.changed?.moved.push(index);
    this.version++;
  }

  propertyTimeMs(index: number): number {
    return this.propertyTime[index]! + this.monthMs - dayMs;
  }

  /** Columns in a file are never written to: the change would exist in this process only. */
  private writable(): Columns {
    assert(!this.isSealed, `chunk ${this.number} is not sealed`);
    return this.columns;
  }
}
