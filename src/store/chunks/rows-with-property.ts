/** Finds the rows of a chunk that have a property of selected names and values. */
import type { Chunk } from "./chunk.ts";
import { movedRow } from "../columns/columns.ts";

/** By id: 1 for a name or value that is selected; undefined if all are. An id that came after the mask was made is not. */
export interface PropertyMasks {
  readonly names: Uint8Array | undefined;
  readonly values: Uint8Array | undefined;
}

/** Returns a byte for each row: 1 if it has a property that the masks select. */
export function rowsWithProperty(chunk: Chunk, { names, values }: PropertyMasks): Uint8Array {
  const { propertyName, propertyValue, propertyRow } = chunk;
  const rows = new Uint8Array(chunk.rows);
  for (let index = 0; index < chunk.properties; index++) {
    const row = propertyRow[index]!;
    if (row === movedRow) continue;
    if (selects(names, propertyName[index]!) && selects(values, propertyValue[index]!)) rows[row] = 1;
  }
  return rows;
}

/** Returns whether a mask selects a name or a value. */
export function selects(mask: Uint8Array | undefined, id: number): boolean {
  return mask === undefined || mask[id] === 1;
}
