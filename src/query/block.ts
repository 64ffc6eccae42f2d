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

/** A block's ids in 32 bits, until the next call, so that a loop over them sees one kind of array. */
export function wide(ids: Uint16Array | Uint32Array): Uint32Array {
  if (ids instanceof Uint32Array) return ids;
  scratchIds.set(ids);
  return scratchIds;
}
