/**
 * A full chunk that hits may still change has its columns in the private mapping of a file: what is written to them stays
 * in this process, and only pages that are written to take memory. So the rows of the last day cost next to nothing. The
 * file never changes: a checkpoint writes what changed since (changed-rows.ts), and other threads map it too.
 */
import type { FileEntry } from "../../snapshot/manifest.ts";
import { columnNames } from "../../core/questions/dimension.ts";
import { plainColumns, plainNames, type Columns } from "./columns.ts";
import type { Rewrite } from "./renumber.ts";

export interface Basis {
  readonly file: FileEntry;
  /** The memory of the mapping: a column that lies elsewhere is not the file's. */
  readonly buffer: ArrayBufferLike;
  /** The file was found damaged: what is mapped from it is not to be believed until it is back. */
  readonly isDamaged: boolean;
  /** Lead from the rows of the file to those of the chunk, which have the same numbers (edited-chunk.ts). */
  readonly rewrites: readonly Rewrite[];
}

/** Whether a column lies in a basis: then it is the file's but for what the chunk's `changed` names. */
export function isIn(basis: Basis | undefined, { buffer }: ArrayBufferView): boolean {
  return buffer === basis?.buffer;
}

/** Returns the most memory that the columns of a chunk take, in bytes: what its basis has and never changes takes none. */
export function memoryOf({
  columns,
  basis,
}: {
  readonly columns: Columns;
  readonly basis: Basis | undefined;
}): number {
  const ids = columnNames.map((name) => columns.ids[name].stored);
  const others = plainNames.filter((name) => plainColumns[name].changes || !isIn(basis, columns[name]));
  return [...ids.filter((values) => !isIn(basis, values)), ...others.map((name) => columns[name])].reduce(
    (sum, { byteLength }) => sum + byteLength,
    0,
  );
}
