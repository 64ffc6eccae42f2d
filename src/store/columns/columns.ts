/**
 * The columns of a chunk's rows and properties: in memory, growing by copy while rows are added, or views of a file
 * that never change. Only the first `rows` (or `properties`) entries count. Buffers start at 256 rows and double. Id
 * columns have 16 bits until an id needs 32.
 */
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import { grown, IdColumn } from "./column.ts";
import { growingBytes, growingHalves, growingNumbers, growingWords } from "../values/growing.ts";

export interface Columns {
  /** Milliseconds since the start of the month. */
  time: Uint32Array;
  readonly ids: Record<ColumnName, IdColumn>;
  /** Bits of `rowFlag`. */
  flags: Uint8Array;
  /** Milliseconds; 0 while unknown. */
  duration: Uint32Array;
  /** The number of the row's visit; 0 for none. */
  visit: Uint32Array;
  /** Bits of `visitFlag`. */
  visitFlags: Uint8Array;

  propertyName: Uint32Array;
  propertyValue: Uint32Array;
  propertyRow: Uint32Array;
  /** Milliseconds since one day before the start of the month: an event may come a little before its load. */
  propertyTime: Uint32Array;
  /** The value as a number; NaN for one that is no JSON number. */
  propertyNumber: Float64Array;
}

export type PlainName = Exclude<keyof Columns, "ids">;
export type Plain = Uint8Array | Uint32Array | Float64Array;

interface PlainColumn {
  /** The section of a chunk's file that holds it. */
  readonly section: string;
  /** Whether the column has one entry per row, or one per property. */
  readonly of: "rows" | "properties";
  readonly bytes: 1 | 4 | 8;
  /** Whether later hits may change it while the chunk is open. */
  readonly changes: boolean;
  /** The value in files from before the column was added. Columns of format 1, which every file has, need none. */
  readonly before?: number;
}

/** The table of the columns that hold no ids: they are created, grown, joined, saved and loaded by it. */
export const plainColumns: Readonly<Record<PlainName, PlainColumn>> = {
  time: { section: "time", of: "rows", bytes: 4, changes: false },
  flags: { section: "flags", of: "rows", bytes: 1, changes: true },
  duration: { section: "duration", of: "rows", bytes: 4, changes: true },
  visit: { section: "visit", of: "rows", bytes: 4, changes: false, before: 0 },
  visitFlags: { section: "visit.flags", of: "rows", bytes: 1, changes: true, before: 0 },
  propertyName: { section: "property.name", of: "properties", bytes: 4, changes: false },
  propertyValue: { section: "property.value", of: "properties", bytes: 4, changes: false },
  propertyRow: { section: "property.row", of: "properties", bytes: 4, changes: true },
  propertyTime: { section: "property.time", of: "properties", bytes: 4, changes: false },
  propertyNumber: { section: "property.number", of: "properties", bytes: 8, changes: false, before: NaN },
};
export const plainNames = Object.keys(plainColumns) as readonly PlainName[];

/** The `propertyRow` of a property that moved to the page view which came after it. */
export const movedRow = 0xffffffff;

export function emptyColumns(capacity: number): Columns {
  return {
    ...plainOf((name) => zerosOf(name, plainColumns[name].of === "rows" ? capacity : 0)),
    ids: columnsOf(() => new IdColumn(growingHalves(capacity))),
  };
}

export function columnsOf<T>(of: (name: ColumnName) => T): Record<ColumnName, T> {
  return Object.fromEntries(columnNames.map((name) => [name, of(name)])) as Record<ColumnName, T>;
}

/** Returns columns made by `of`, one for each name; their lengths may differ. */
export function plainOf(of: (name: PlainName) => Plain): Omit<Columns, "ids"> {
  return Object.fromEntries(plainNames.map((name) => [name, of(name)])) as unknown as Omit<Columns, "ids">;
}

export function zerosOf(name: PlainName, length: number): Plain {
  const { bytes } = plainColumns[name];
  if (bytes === 8) return growingNumbers(length);
  return bytes === 1 ? growingBytes(length) : growingWords(length);
}

export function growRows(columns: Columns, capacity: number): void {
  growPlain(columns, "rows", capacity);
  for (const name of columnNames) columns.ids[name].grow(capacity);
}

export function growProperties(columns: Columns, capacity: number): void {
  growPlain(columns, "properties", capacity);
}

function growPlain(columns: Record<PlainName, Plain>, of: PlainColumn["of"], capacity: number): void {
  for (const name of plainNames)
    if (plainColumns[name].of === of) columns[name] = grown(columns[name], zerosOf(name, capacity));
}

/** Returns copies with the rows by time. Rows of the same time keep their order; properties stay with their rows. */
export function sortedByTime(columns: Columns, rows: number, properties: number): Columns {
  const order = rowsByKey(columns.time, rows);
  const newRows = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) newRows[order[row]!] = row;
  const propertyRow = growingWords(properties);
  for (let index = 0; index < properties; index++) {
    const row = columns.propertyRow[index]!;
    propertyRow[index] = row === movedRow ? movedRow : newRows[row]!;
  }
  const { propertyName, propertyValue, propertyTime, propertyNumber } = columns;
  const sorted = copiedRows(columns, order);
  return { ...sorted, propertyName, propertyValue, propertyRow, propertyTime, propertyNumber };
}

/** Returns copies of these rows and properties, in their order. The properties name their rows as they were. */
export function copiedRows(
  columns: Columns,
  rows: Uint32Array,
  properties: Uint32Array = new Uint32Array(),
): Columns {
  const { length } = rows;
  const ids = (name: ColumnName) => {
    const { values } = columns.ids[name];
    const wide = values instanceof Uint32Array;
    return new IdColumn(picked(values, rows, wide ? growingWords(length) : growingHalves(length)));
  };
  const plain = plainOf((name) => {
    const indexes = plainColumns[name].of === "rows" ? rows : properties;
    return picked(columns[name], indexes, zerosOf(name, indexes.length));
  });
  return { ...plain, ids: columnsOf(ids) };
}

/**
 * Returns the numbers of the first `rows` rows by a column, such as the time; those with the same entry keep their order.
 * An entry and its row are the halves of one number of 64 bits, so that no comparison function is called, and each pair is
 * exact.
 */
export function rowsByKey(column: Uint32Array, rows: number): Uint32Array {
  const keys = new BigUint64Array(rows);
  // All machines that Bun runs on have the lower half first.
  const halves = new Uint32Array(keys.buffer);
  for (let row = 0; row < rows; row++) {
    halves[2 * row] = row;
    halves[2 * row + 1] = column[row]!;
  }
  keys.sort();
  const order = new Uint32Array(rows);
  for (let at = 0; at < rows; at++) order[at] = halves[2 * at]!;
  return order;
}

function picked<T extends Plain | Uint16Array>(from: T, rows: Uint32Array, to: T): T {
  for (let at = 0; at < rows.length; at++) to[at] = from[rows[at]!]!;
  return to;
}
