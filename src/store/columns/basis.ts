/**
 * A full chunk that hits may still change has its columns in the private mapping of a file: what is written to them stays
 * in this process, and only pages that are written to take memory. So the rows of the last day cost next to nothing. The
 * file never changes: a checkpoint writes what differs from it, and other threads map it too.
 */
import type { FileEntry } from "../../snapshot/manifest.ts";
import { columnNames } from "../../core/questions/dimension.ts";
import { plainColumns, plainNames, type Columns, type Plain } from "./columns.ts";

export interface Basis {
  readonly file: FileEntry;
  /** The memory of the mapping: a column that lies elsewhere is not the file's. */
  readonly buffer: ArrayBufferLike;
  /** The number of properties in the file. */
  readonly properties: number;
  /** The version of the chunk that is in the file; undefined if it had changed before it was mapped. */
  readonly version: number | undefined;
  /** The file was found damaged: what is mapped from it is not to be believed until it is back. */
  readonly isDamaged?: boolean;
}

/** Whether a basis has a column as it is in the chunk. `changes`: whether hits may change the column. */
export function isIn(basis: Basis | undefined, { buffer }: ArrayBufferView, changes: boolean): boolean {
  return !changes && buffer === basis?.buffer;
}

/**
 * Returns the columns of a mapped file with what has changed since as it is in `now`, which has this many properties.
 */
export function basedColumns(file: Columns, now: Columns, properties: number): Columns {
  const columns = { ...file, ids: { ...file.ids } };
  for (const name of plainNames) if (plainColumns[name].changes) copyChanged(now[name], columns[name]);
  if (columns.propertyRow.length === properties) return columns;
  const plain: Record<string, Plain> = columns as never;
  for (const name of plainNames) if (plainColumns[name].of === "properties") plain[name] = now[name];
  return columns;
}

/** Writes only entries that differ: each page that is written to takes memory. */
function copyChanged(from: Plain, to: Plain): void {
  for (let at = 0; at < to.length; at++) if (from[at] !== to[at]) to[at] = from[at]!;
}

/** Returns the most memory that the columns of a chunk take, in bytes: what its basis has takes none. */
export function memoryOf({
  columns,
  basis,
}: {
  readonly columns: Columns;
  readonly basis: Basis | undefined;
}): number {
  const ids = columnNames.map((name) => columns.ids[name].values);
  const others = plainNames.filter((name) => !isIn(basis, columns[name], plainColumns[name].changes));
  return [
    ...ids.filter((values) => !isIn(basis, values, false)),
    ...others.map((name) => columns[name]),
  ].reduce((sum, { byteLength }) => sum + byteLength, 0);
}
