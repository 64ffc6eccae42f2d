/** Selected rows of a chunk, few enough to stay in the cache. A block is only valid until the next one. */
import type { ColumnName } from "../core/dimension.ts";
import type { Chunk } from "../store/chunk.ts";

export const blockRows = 4_096;

/** A chunk, or copies of some of its rows. */
export interface BlockRows extends Pick<Chunk, "monthMs" | "sorted" | "time" | "flags" | "duration"> {
  readonly ids: Readonly<Record<ColumnName, { readonly values: Uint16Array | Uint32Array }>>;
}

export interface Block {
  readonly chunk: BlockRows;
  /** First row of the block. */
  readonly start: number;
  /** The selected rows, counted from `start`, in the first `count` entries. */
  readonly rows: Uint32Array;
  readonly count: number;
  /** All rows from `start` on are selected. */
  readonly dense: boolean;
}

const scratchIds = new Uint32Array(blockRows);

/** A block's ids of a column. */
export function blockIds(
  { chunk, start }: Pick<Block, "chunk" | "start">,
  column: ColumnName,
): Uint16Array | Uint32Array {
  return chunk.ids[column].values.subarray(start, start + blockRows);
}

/** Below one row of so many, each is looked at by itself. */
const rowsPerFew = 4;

/**
 * The ids of a block's selected rows in 32 bits, until the next call, so that a loop over them sees one kind of array.
 * `ids`: one for each of its rows.
 */
export function wide(ids: Uint16Array | Uint32Array, { rows, count }: Block): Uint32Array {
  if (ids instanceof Uint32Array) return ids;
  if (count * rowsPerFew > blockRows) scratchIds.set(ids);
  else widenRows(ids, rows, count);
  return scratchIds;
}

function widenRows(ids: Uint16Array, rows: Uint32Array, count: number): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    scratchIds[row] = ids[row] as number;
  }
}
