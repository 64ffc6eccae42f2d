/**
 * Gives full chunks that hits may still change the files of checkpoints as their basis (basis.ts): when a checkpoint has
 * written them, and when they are read after a start.
 */
import { expectContent } from "../../lib/decoding.ts";
import { DiskError } from "../../lib/disk.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { basedColumns, type Basis } from "../../store/columns/basis.ts";
import type { Chunk, ChunkHead } from "../../store/columns/chunk.ts";
import type { Columns } from "../../store/columns/columns.ts";
import { loadColumns, mappedColumns } from "../../store/files/chunk-changes.ts";
import type { ChunkPart } from "../../store/files/join-chunks.ts";
import { saveChunk, savedSince } from "../../store/files/save-chunk.ts";

type Mapped = Pick<MappedFiles, "kept">;

/**
 * Bases full chunks on the files that have all of their rows. Those that the next record of a checkpoint seals leave memory
 * anyway. `nowMs`: the log's time.
 */
export function baseFull(
  written: Iterable<readonly [Chunk, { readonly rows: number; readonly entry: FileEntry }]>,
  nowMs: number,
  mapped: Mapped,
): void {
  for (const [chunk, { rows, entry }] of written) {
    const isBased = chunk.basis?.file.name === entry.name;
    if (isBased || !entry.mapped || !chunk.isRead || chunk.sealed || !chunk.full) continue;
    if (chunk.rows === rows && !chunk.isDoneBy(nowMs)) base(chunk, entry, mapped);
  }
}

/** The chunk stays as it is if the file cannot be read: the next checkpoint tries again. */
function base(chunk: Chunk, file: FileEntry, mapped: Mapped): void {
  try {
    const before = mappedColumns(mapped.kept(file), undefined);
    const { columns, isSame } = basedColumns(before, chunk.columns, chunk.properties);
    chunk.base(columns, { ...basisOf(file, before), version: isSame ? chunk.version : undefined });
  } catch (error) {
    if (!(error instanceof SnapshotDamage || error instanceof DiskError)) throw error;
  }
}

/** Reads the columns of a chunk that still changes; those of a full one are mapped. Throws SnapshotDamage or DiskError. */
export function openColumns(
  chunk: Chunk,
  head: ChunkHead,
  file: FileEntry,
  changes: FileEntry | undefined,
  mapped: Mapped,
): Columns {
  const written = mapped.kept(file);
  const later = changes && mapped.kept(changes);
  if (!chunk.full) return loadColumns(head, written, later);
  const before = mappedColumns(written, undefined);
  expectContent(before.time.length === head.rows, `chunk ${head.number}: ${head.rows} rows in its file`);
  const basis = basisOf(file, before);
  chunk.basis = { ...basis, version: changes === undefined ? chunk.version : undefined };
  return later === undefined ? before : mappedColumns(written, later);
}

function basisOf(file: FileEntry, { time, propertyRow }: Columns): Omit<Basis, "version"> {
  return { file, buffer: time.buffer, properties: propertyRow.length };
}

/** Returns the rows of a chunk in memory, without a copy of what its basis has. */
export function partInMemory(chunk: Chunk): ChunkPart {
  const { rows, properties, basis } = chunk;
  if (basis === undefined) return { rows, properties, sections: saveChunk(chunk) };
  return { rows, properties, file: basis.file, sections: savedSince(chunk, basis) };
}
