/**
 * The statistics of one website: its dictionaries, its interned tuples and its chunks. It knows rows, not hits: the
 * store decides to which row a hit belongs.
 */
import { assert } from "../../lib/assert.ts";
import { columnNames, dimensions, type ColumnName } from "../../core/questions/dimension.ts";
import {
  listedValuesBefore,
  noVisitValues,
  storedDimensions,
  type DimensionValues,
  type VisitValues,
} from "../../core/questions/stored-dimension.ts";
import { noNumbers, type Properties, type PropertyNumbers } from "../../core/questions/property.ts";
import { checkChunk } from "../chunks/check-chunk.ts";
import { Chunk } from "../chunks/chunk.ts";
import type { RowIds } from "../chunks/chunk-head.ts";
import { columnsOf } from "../columns/columns.ts";
import { isEmpty } from "../chunks/edited-chunk.ts";
import { monthStartMs } from "../chunks/month.ts";
import { Dictionary, overflowId } from "../values/dictionary.ts";
import { TupleTable } from "../values/tuples.ts";
import { OpenVisits } from "./open-visits.ts";
import { isEmptyRow, type RowRef } from "./row-ref.ts";
import type { ReducedMonth } from "./reduced-month.ts";
import { allDictionaries, pathDictionary } from "../values/dictionaries.ts";

/** The visit of a page view or event. */
export interface RowVisit {
  /** The number of the visit, which rises within the website; 0, as without it, for none. */
  readonly visit?: number;
  readonly visitValues?: VisitValues;
}

const noVisit: RowVisit = {};

/** The properties that a row gets. */
export interface RowProperties {
  readonly properties: Properties;
  readonly numbers?: PropertyNumbers | undefined;
  /** false: names and values that are new to the website are not kept apart. */
  readonly isAdmitted?: boolean | undefined;
}

export type TupleColumn = Exclude<ColumnName, "path">;
export const tupleColumns = columnNames.filter((name) => name !== "path");

/** The columns whose values a hit brings; those of the other ones come from its visit. */
export const hitColumns: readonly ColumnName[] = columnNames.filter((name) =>
  dimensions.some(({ column }) => column === name),
);

/** The dimensions (by index) in the tuples of each column, in the order of the tuple's members. */
export const columnMembers: Readonly<Record<ColumnName, readonly number[]>> = columnsOf((name) =>
  storedDimensions.flatMap(({ column }, index) => (column === name ? [index] : [])),
);

export function tuplesOf<T>(make: (width: number) => T): Record<TupleColumn, T> {
  const tables = tupleColumns.map((name) => [name, make(columnMembers[name].length)]);
  return Object.fromEntries(tables) as Record<TupleColumn, T>;
}

export class Site {
  /** One a dimension, in the order of `storedDimensions`. */
  readonly dictionaries: readonly Dictionary[] = storedDimensions.map(() => new Dictionary());
  readonly propertyNames = new Dictionary();
  readonly propertyValues = new Dictionary();
  readonly tuples: Readonly<Record<TupleColumn, TupleTable>> = tuplesOf((width) => new TupleTable(width));
  /** By number, which is the order in which they were created. */
  readonly chunks = new Map<number, Chunk>();
  /** The months that gave up their rows, by the least number of the chunks that had these. */
  readonly reduced = new Map<number, ReducedMonth>();
  nextChunkNumber = 1;
  /** The greatest number of a visit that was logged. */
  lastVisit = 0;
  /** Counts the merges of chunks. */
  merges = 0;
  /** The chunk that takes the rows of each month, by the month's start. */
  private readonly open = new Map<number, Chunk>();
  /** Scratch space: the ids of one tuple of the row that is being added. `rowIds` holds the ids of all its columns. */
  private readonly memberIds = new Uint32Array(storedDimensions.length);
  private readonly rowIds = columnsOf(() => 0);
  private visits: OpenVisits | undefined;

  constructor(readonly websiteId: number) {}

  /** The number of rows in all chunks. */
  get rows(): number {
    let sum = 0;
    for (const { rows } of this.chunks.values()) sum += rows;
    return sum;
  }

  addRow(timeMs: number, values: DimensionValues, flags: number, ofVisit = noVisit): RowRef {
    const { visit = 0, visitValues = noVisitValues } = ofVisit;
    const chunk = this.chunkFor(timeMs);
    return { chunk, row: chunk.addRow(timeMs, this.intern(values, visitValues), flags, visit) };
  }

  /** Returns the visits that may go on, for one that has a hit now. Call it before the row of the hit is added. */
  visitsWith(visit: number, nowMs: number): OpenVisits {
    this.lastVisit = Math.max(this.lastVisit, visit);
    return this.openVisits(nowMs);
  }

  /** Returns the visits that may go on at the time of a record. The chunks that still change are in memory. */
  openVisits(nowMs: number): OpenVisits {
    return (this.visits ??= OpenVisits.of(this.chunks, nowMs));
  }

  /** Takes over the counters of the website that this one replaces. */
  continueFrom({ nextChunkNumber, lastVisit }: Pick<Site, "nextChunkNumber" | "lastVisit">): void {
    this.nextChunkNumber = nextChunkNumber;
    this.lastVisit = lastVisit;
  }

  /**
   * Returns the index of the first property; the others follow it.
   */
  addProperties(
    { chunk, row }: RowRef,
    { properties, numbers = noNumbers, isAdmitted = true }: RowProperties,
    timeMs: number,
  ): number {
    const first = chunk.properties;
    const { propertyNames, propertyValues } = this;
    properties.forEach(([name, value], at) =>
      chunk.addProperty(
        row,
        idOf(propertyNames, name, isAdmitted),
        idOf(propertyValues, value, isAdmitted),
        timeMs,
        numbers[at] ?? NaN,
      ),
    );
    return first;
  }

  /** Whether a page view is known to be of a path; false if it was removed, or its path is not kept apart (null). */
  isOfPath(ref: RowRef, path: string | null = null): boolean {
    const id = idOf(pathDictionary(this), path, false);
    return id !== overflowId && ref.chunk.ids.path.values[ref.row] === id && !isEmptyRow(ref);
  }

  /** Whether all values are known, and those of each column have come together before, as they mostly have. */
  knows(values: DimensionValues): boolean {
    return hitColumns.every((column) =>
      column === "path" ? pathDictionary(this).has(values[0]!) : this.hasTuple(column, values),
    );
  }

  /** Whether the values of a column's members have come together before. null is the overflow. */
  hasTuple(column: TupleColumn, values: DimensionValues): boolean {
    const { dictionaries, memberIds } = this;
    const members = columnMembers[column];
    for (let member = 0; member < members.length; member++) {
      const dimension = members[member]!;
      const value = values[dimension] as string | null;
      const id = idOf(dictionaries[dimension]!, value, false);
      if (id === overflowId && value !== null) return false;
      memberIds[member] = id;
    }
    return this.tuples[column].has(memberIds);
  }

  /** Reads the chunks that still change into memory, where they are not there yet. Throws what reading them throws. */
  read(): void {
    for (const chunk of this.chunks.values()) if (!chunk.sealed) void chunk.columns;
  }

  /** Seals the chunks that no hit logged at `timeMs` or later can reach, and forgets those whose rows are all empty. */
  seal(timeMs: number): void {
    for (const chunk of this.chunks.values()) {
      if (chunk.sealed || !chunk.isDoneBy(timeMs)) continue;
      chunk.seal();
      if (isEmpty(chunk)) this.chunks.delete(chunk.number);
    }
  }

  /** Adds a saved chunk. It takes rows again if it is the last one of its month and neither full nor sealed. */
  restore(chunk: Chunk): void {
    assert(!this.chunks.has(chunk.number), `chunk ${chunk.number} is restored once`);
    this.chunks.set(chunk.number, chunk);
    const last = this.open.get(chunk.monthMs);
    if (last === undefined || last.number < chunk.number) this.open.set(chunk.monthMs, chunk);
  }

  /** Puts a month's facts in the place of its rows. */
  reduce(month: ReducedMonth): void {
    for (const { number, monthMs } of [...this.chunks.values()])
      if (monthMs === month.monthMs) this.chunks.delete(number);
    this.open.delete(month.monthMs);
    this.addMonth(month);
  }

  /** Adds a month without rows. Its file may lack later dimensions: the website knows their values from before then. */
  addMonth(month: ReducedMonth): void {
    const idsBefore = listedValuesBefore.map((value, dimension) =>
      value === undefined ? undefined : this.dictionaries[dimension]?.intern(value),
    );
    this.reduced.set(month.head.number, month.withIdsBefore(idsBefore));
    this.merges++;
  }

  /** Forgets the months that begin before `beforeMs`. Their names keep their ids. */
  forgetMonthsBefore(beforeMs: number): void {
    for (const { number, monthMs } of [...this.chunks.values()])
      if (monthMs < beforeMs) this.chunks.delete(number);
    for (const { head } of [...this.reduced.values()])
      if (head.monthMs < beforeMs) this.reduced.delete(head.number);
    for (const monthMs of [...this.open.keys()]) if (monthMs < beforeMs) this.open.delete(monthMs);
    this.visits = undefined;
    this.merges++;
  }

  /** Replaces sealed chunks by the one that holds all of their rows, which has the number of the first. */
  merge(parts: readonly Chunk[], merged: Chunk): void {
    for (const { number } of parts) if (number !== merged.number) this.chunks.delete(number);
    assert(this.chunks.has(merged.number), `chunk ${merged.number} takes the place of one`);
    this.chunks.set(merged.number, merged);
    const last = this.open.get(merged.monthMs);
    if (last !== undefined && parts.includes(last)) this.open.delete(merged.monthMs);
    this.merges++;
  }

  check(): void {
    for (const dictionary of allDictionaries(this)) dictionary.check();
    for (const name of tupleColumns) {
      this.tuples[name].check();
      columnMembers[name].forEach((dimension, member) => {
        const size = this.dictionaries[dimension]!.size;
        const ids = this.tuples[name].members[member]!;
        for (let id = 0; id < this.tuples[name].size; id++)
          assert(ids[id]! < size, `${name} tuple ${id}: known id`);
      });
    }
    for (const [number, chunk] of this.chunks) {
      assert(number === chunk.number && number < this.nextChunkNumber, `chunk ${number} has its number`);
      checkChunk(chunk);
      this.checkIds(chunk);
    }
  }

  private checkIds(chunk: Chunk): void {
    for (const name of columnNames) {
      const { size } = name === "path" ? pathDictionary(this) : this.tuples[name];
      const ids = chunk.ids[name].values.subarray(0, chunk.rows);
      // A text for each of millions of rows would be most of the work.
      const unknown = ids.findIndex((id) => id >= size);
      assert(unknown < 0, `chunk ${chunk.number}, ${name}, row ${unknown}: known id`);
    }
  }

  private intern(values: DimensionValues, visitValues: VisitValues): RowIds {
    const { dictionaries, memberIds, rowIds, tuples } = this;
    assert(values.length === dimensions.length, "one value a dimension");
    for (const name of columnNames) {
      const members = columnMembers[name];
      for (let member = 0; member < members.length; member++) {
        const dimension = members[member]!;
        const own = dimension < values.length;
        const value = own ? values[dimension] : visitValues[dimension - values.length];
        memberIds[member] = idOf(dictionaries[dimension]!, value as string | null, true);
      }
      rowIds[name] = name === "path" ? memberIds[0]! : tuples[name].intern(memberIds);
    }
    return rowIds;
  }

  /** Returns the chunk that takes page views of that time; undefined where the next one begins another. */
  openChunk(timeMs: number): Chunk | undefined {
    const last = this.open.get(monthStartMs(timeMs));
    return last !== undefined && !last.full && !last.sealed ? last : undefined;
  }

  private chunkFor(timeMs: number): Chunk {
    const open = this.openChunk(timeMs);
    if (open !== undefined) return open;
    const monthMs = monthStartMs(timeMs);
    const chunk = new Chunk(this.nextChunkNumber++, monthMs);
    this.chunks.set(chunk.number, chunk);
    this.open.set(monthMs, chunk);
    return chunk;
  }
}

function idOf(dictionary: Dictionary, value: string | null, isAdmitted: boolean): number {
  if (value === null) return overflowId;
  return isAdmitted ? dictionary.intern(value) : dictionary.find(value);
}
