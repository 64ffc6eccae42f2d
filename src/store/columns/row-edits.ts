/**
 * Edits of a chunk's rows, one byte a row: rows that are removed, and rows that become the first view of a visitor or
 * of a page because the one that was it is removed.
 */
import { copiedRows, movedRow, type Columns } from "./columns.ts";
import { rowFlag } from "./row-flag.ts";

export const rowEdit = {
  none: 0,
  remove: 1,
  /** The row becomes a visitor's first page view of the day, and so that of its page. */
  unique: 2,
  /** The row becomes a visitor's first view of its page. */
  first: 3,
} as const;

/** A `rowEdit` for each row of a chunk. */
export type RowEdits = Uint8Array;

/** The flags that each edit adds, by edit. */
export const addedFlags = Uint8Array.of(0, 0, rowFlag.unique | rowFlag.first, rowFlag.first);

/** Returns columns without the removed rows and their properties; `properties`: how many the chunk has. */
export function editedColumns(columns: Columns, edits: RowEdits, properties: number): Columns {
  const kept = keptIndexes(edits.length, (row) => edits[row] !== rowEdit.remove);
  const newRows = new Uint32Array(edits.length);
  kept.forEach((row, at) => (newRows[row] = at));
  const { propertyRow } = columns;
  const keptProperties = keptIndexes(properties, (index) => {
    const row = propertyRow[index]!;
    return row !== movedRow && edits[row] !== rowEdit.remove;
  });
  const edited = copiedRows(columns, kept, keptProperties);
  const { flags } = edited;
  kept.forEach((row, at) => (flags[at] = flags[at]! | addedFlags[edits[row]!]!));
  return { ...edited, propertyRow: edited.propertyRow.map((row) => newRows[row]!) };
}

/** Returns the indexes below `count` that are kept, rising. */
function keptIndexes(count: number, isKept: (index: number) => boolean): Uint32Array {
  const kept = new Uint32Array(count);
  let found = 0;
  for (let index = 0; index < count; index++) if (isKept(index)) kept[found++] = index;
  return kept.subarray(0, found);
}
