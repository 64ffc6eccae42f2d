/** The chunks of one checkpoint, and what its state says of those that still change. */
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { ChangedRows } from "../../store/chunks/changed-rows.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import type { Site } from "../../store/state/site.ts";

/** A chunk in the files of a checkpoint. */
export interface WrittenChunk {
  /** The version of the chunk when it was written. */
  readonly version: number;
  /** Whether its rows in the file are by time. */
  readonly sorted: boolean;
  readonly entry: FileEntry;
  /** The file of the changes since, if there is one. */
  readonly changes?: FileEntry | undefined;
}

/** A chunk in the files of a checkpoint that is not durable yet. */
interface CollectedChunk extends Omit<WrittenChunk, "entry" | "changes"> {
  readonly chunk: Chunk;
  readonly name: string;
  readonly changes?: string | undefined;
  /** If its file is begun anew: what is known to have changed since the one before was begun. */
  readonly before?: ChangedRows | undefined;
}

interface Merge {
  readonly site: Site;
  readonly parts: readonly Chunk[];
  readonly head: ChunkHead;
  readonly name: string;
}

/** The chunks of one checkpoint. */
export interface CollectedChunks {
  readonly seq: number;
  /** The log's time. */
  readonly nowMs: number;
  readonly chunks: CollectedChunk[];
  readonly merges: Merge[];
  /** The most bytes that more merges may take. */
  mergeBytesLeft: number;
  /** Whether there was no room for a merge. */
  isMergeLeft: boolean;
  /** The heads of the chunks whose files are mapped when needed, in the order of their files. */
  readonly heads: ChunkHead[];
  /** The chunks that still change and are read when needed, by the names of their files. */
  readonly open: OpenChunks;
}

/** A checkpoint's entry for a chunk that still changes, so that a start need not read the chunk. */
export interface OpenChunk {
  readonly head: ChunkHead;
  /** The name of the file with the changes since the chunk's own file was written. */
  readonly changes?: string | undefined;
}

export type OpenChunks = Record<string, OpenChunk>;

export function noChunks(seq: number, nowMs: number, mergeBytesLeft = Infinity): CollectedChunks {
  return { seq, nowMs, chunks: [], merges: [], mergeBytesLeft, isMergeLeft: false, heads: [], open: {} };
}
