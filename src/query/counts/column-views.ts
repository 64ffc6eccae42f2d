/**
 * Counts the page views and visitors of a block by id of several columns, two columns in one loop. A row mostly adds to a
 * cell that a row shortly before it added to, and has to wait for that: with a second column there is something to do
 * meanwhile.
 */
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
  const pairs = columns.length & ~1;
  for (let at = 0; at < pairs; at += 2) addTwo(block, block.chunk.flags, columns[at]!, columns[at + 1]!);
  if (pairs < columns.length) addOne(block, block.chunk.flags, columns[pairs]!);
}

function addTwo({ start, rows, count }: Block, flags: Uint8Array, a: ColumnCells, b: ColumnCells): void {
  const { ids: idsA, cells: cellsA, classOf: classA } = a;
  const { ids: idsB, cells: cellsB, classOf: classB } = b;
  // The loop below is: for each row, in both columns, cells[its id][class of its flags] += 1.
  for (let at = 0; at < count; at++) {
    const row = (start + rows[at]!) | 0;
    const flag = flags[row]! | 0;
    const cellA = ((idsA[row]! | 0) << viewBits) | classA[flag]!;
    const cellB = ((idsB[row]! | 0) << viewBits) | classB[flag]!;
    cellsA[cellA] = (cellsA[cellA]! + 1) | 0;
    cellsB[cellB] = (cellsB[cellB]! + 1) | 0;
  }
}

function addOne({ start, rows, count }: Block, flags: Uint8Array, column: ColumnCells): void {
  const { ids, cells, classOf } = column;
  // The loop below is: for each row, cells[its id][class of its flags] += 1.
  for (let at = 0; at < count; at++) {
    const row = (start + rows[at]!) | 0;
    const cell = ((ids[row]! | 0) << viewBits) | classOf[flags[row]!]!;
    cells[cell] = (cells[cell]! + 1) | 0;
  }
}
