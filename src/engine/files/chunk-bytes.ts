/** How many bytes the files of chunks take that are mapped when needed: of those that stay, and of those that do not. */
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { Chunk } from "../../store/columns/chunk.ts";

export interface ChunkBytes {
  readonly sealed: number;
  /** The bytes of chunks that take rows, and are written whole again after the next row. */
  readonly open: number;
}

/** `written`: the chunks of the last checkpoint. */
export function chunkBytes(
  written: Iterable<readonly [chunk: Chunk, { readonly entry: FileEntry }]>,
): ChunkBytes {
  const sum = { sealed: 0, open: 0 };
  for (const [{ sealed, full }, { entry }] of written)
    if (entry.mapped && (sealed || !full)) sum[sealed ? "sealed" : "open"] += entry.bytes;
  return sum;
}
