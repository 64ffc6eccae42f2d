/**
 * Copies of the rows of visits whose first or last page view is not in the chunk. They are few, and nearly all visits
 * that have rows in several chunks are among them, so that these are counted without a column of the chunk. Once files are in
 * memory that saves nothing; of files on the disk only, the first list of 100 million page views takes a third of the time (0.4
 * to 0.6 s in place of 1.4 to 1.6: medians of seven starts in turn, by a script that is not in the repository).
 */
import { encodeSections, locateSections, type Section } from "../snapshot/section.ts";
import { Chunk } from "../store/chunks/chunk.ts";
import { copiedRows } from "../store/columns/columns.ts";
import { visitFlag } from "../store/columns/row-flag.ts";
import { saveChunk, viewChunk } from "../store/files/save-chunk.ts";

export const incompleteName = "incomplete visits";

/**
 * More rows than the greater of these are not copied: most of them are of visits that were cut off where other rows were
 * removed. A copy takes some 35 bytes, and all facts of a row 10 to 15.
 */
const copiesMax = 64;
const rowsPerCopyMin = 256;

/** Returns a section that is itself the file of a chunk; none if there is nothing to copy, or too much. */
export function incompleteSections(chunk: Chunk): Section[] {
  const rows = incompleteRows(chunk);
  const { length } = rows;
  if (length === 0 || length > Math.max(copiesMax, chunk.rows / rowsPerCopyMin)) return [];
  const { head, monthMs, time } = chunk;
  const bounds = [monthMs + time[rows[0]!]!, monthMs + time[rows[length - 1]!]!, null, null];
  const copies = Chunk.open(
    { ...head, rows: length, properties: 0, bounds },
    copiedRows(chunk.columns, rows),
  );
  return [{ name: incompleteName, data: encodeSections(saveChunk(copies)) }];
}

/** Returns the copies in such a section: those of the columns that are asked for are views of it. */
export function incompleteVisitsIn(data: Uint8Array): Chunk {
  const copies = viewChunk(locateSections(data));
  const { columns } = copies;
  copies.store(() => columns);
  return copies;
}

/** Returns the rows, rising, of visits that lack their first or last page view. */
function incompleteRows({ rows, visit, visitFlags }: Chunk): Uint32Array {
  const ends = visitFlag.entry | visitFlag.exit;
  const flagsOf = new Map<number, number>();
  for (let row = 0; row < rows; row++)
    flagsOf.set(visit[row]!, (flagsOf.get(visit[row]!) ?? 0) | visitFlags[row]!);
  flagsOf.set(0, ends);
  const found: number[] = [];
  for (let row = 0; row < rows; row++) if ((flagsOf.get(visit[row]!)! & ends) !== ends) found.push(row);
  return Uint32Array.from(found);
}
