/**
 * What a chunk's rows and properties are made of: columns in memory that grow by copy while rows are added, or views
 * of a file that never change. Only the first `rows` (or `properties`) entries count.
 */
import { columnNames, type ColumnName } from "../core/dimension.ts";
import { grown, IdColumn } from "./column.ts";
import { growingBytes, growingHalves, growingWords } from "./growing.ts";

export interface Columns {
  /** Milliseconds since the start of the month. */
  time: Uint32Array;
  readonly ids: Record<ColumnName, IdColumn>;
  /** Bits of `rowFlag`. */
  flags: Uint8Array;
  /** Milliseconds; 0 while unknown. */
  duration: Uint32Array;

  propertyName: Uint32Array;
  propertyValue: Uint32Array;
  propertyRow: Uint32Array;
  /** Milliseconds since a day before the start of the month: an event may come a little before its load. */
  propertyTime: Uint32Array;
}

/** `propertyRow` of a property that moved to the page view which came after it. */
export const movedRow = 0xffffffff;

export function emptyColumns(capacity: number): Columns {
  const none = growingWords(0);
  return {
    time: growingWords(capacity),
    ids: columnsOf(() => new IdColumn(growingHalves(capacity))),
    flags: growingBytes(capacity),
    duration: growingWords(capacity),
    propertyName: none,
    propertyValue: none,
    propertyRow: none,
    propertyTime: none,
  };
}

export function columnsOf<T>(of: (name: ColumnName) => T): Record<ColumnName, T> {
  return Object.fromEntries(columnNames.map((name) => [name, of(name)])) as Record<ColumnName, T>;
}

export function growRows(columns: Columns, capacity: number): void {
  columns.time = grown(columns.time, growingWords(capacity));
  for (const name of columnNames) columns.ids[name].grow(capacity);
  columns.flags = grown(columns.flags, growingBytes(capacity));
  columns.duration = grown(columns.duration, growingWords(capacity));
}

export function growProperties(columns: Columns, capacity: number): void {
  columns.propertyName = grown(columns.propertyName, growingWords(capacity));
  columns.propertyValue = grown(columns.propertyValue, growingWords(capacity));
  columns.propertyRow = grown(columns.propertyRow, growingWords(capacity));
  columns.propertyTime = grown(columns.propertyTime, growingWords(capacity));
}

/** Copies with the rows by time, those of one time as they were; properties stay with their rows. */
export function sortedByTime(columns: Columns, rows: number, properties: number): Columns {
  const order = rowsByTime(columns.time, rows);
  const newRows = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) newRows[order[row] as number] = row;
  const propertyRow = growingWords(properties);
  for (let index = 0; index < properties; index++) {
    const row = columns.propertyRow[index] as number;
    propertyRow[index] = row === movedRow ? movedRow : (newRows[row] as number);
  }
  const ids = (name: ColumnName) => {
    const { values } = columns.ids[name];
    const wide = values instanceof Uint32Array;
    return new IdColumn(reordered(values, order, wide ? growingWords(rows) : growingHalves(rows)));
  };
  return {
    ...columns,
    time: reordered(columns.time, order, growingWords(rows)),
    ids: columnsOf(ids),
    flags: reordered(columns.flags, order, growingBytes(rows)),
    duration: reordered(columns.duration, order, growingWords(rows)),
    propertyRow,
  };
}

/** Numbers of rows: time and row in one number sort without a call for each comparison. */
function rowsByTime(time: Uint32Array, rows: number): Uint32Array {
  const keys = new Float64Array(rows);
  for (let row = 0; row < rows; row++) keys[row] = (time[row] as number) * rows + row;
  return Uint32Array.from(keys.sort(), (key) => key % rows);
}

function reordered<T extends Uint8Array | Uint16Array | Uint32Array>(from: T, order: Uint32Array, to: T): T {
  for (let at = 0; at < order.length; at++) to[at] = from[order[at] as number] as number;
  return to;
}
