/** Counts the page views and visitors of a block by id of several columns. */
import type { Block } from "../rows/block.ts";

/** The cells that count the rows of one column. */
export interface ColumnCells {
  /** By row of the chunk. */
  readonly ids: Uint16Array | Uint32Array;
  /** By id, then by `viewClass`. */
  readonly cells: Int32Array;
  /** The class for each combination of flags. */
  readonly classOf: Uint8Array;
}

/** The base-2 logarithm of the number of cells of an id. */
export const viewBits = 2;

export function addColumns(block: Block, columns: readonly ColumnCells[]): void {
  for (const column of columns) addColumn(block, block.chunk.flags, column);
}

function addColumn({ start, rows, count }: Block, flags: Uint8Array, column: ColumnCells): void {
  const { ids, cells, classOf } = column;
  // The loop below is: for each row, cells[its id][class of its flags] += 1.
  for (let at = 0; at < count; at++) {
    const row = (start + rows[at]!) | 0;
    const cell = ((ids[row]! | 0) << viewBits) | classOf[flags[row]!]!;
    cells[cell] = (cells[cell]! + 1) | 0;
  }
}
