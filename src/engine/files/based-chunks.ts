/**
 * Gives full chunks that hits may still change the files of checkpoints as their basis (basis.ts): when a checkpoint has
 * written them, and when they are read after a start.
 */
import { expectContent } from "../../lib/decoding.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { basedColumns, type Basis } from "../../store/columns/basis.ts";
import type { Chunk } from "../../store/columns/chunk.ts";
import type { ChunkHead } from "../../store/columns/chunk-head.ts";
import type { Columns } from "../../store/columns/columns.ts";
import { loadColumns, mappedColumns } from "../../store/files/chunk-changes.ts";
import type { ChunkPart } from "../../store/files/join-chunks.ts";
import { saveChunk, savedSince } from "../../store/files/save-chunk.ts";

/** The section that is read whenever a chunk is mapped. */
const headSection = "chunk";

/** The file with rows of a chunk, and the version of the chunk that is in it or in it and the changes since. */
interface Written {
  readonly rows: number;
  readonly version: number;
  readonly entry: FileEntry;
  readonly changes?: FileEntry | undefined;
}

export class BasedChunks {
  /** `rowsMin`: a chunk with this many rows is mapped though it is not full. */
  constructor(
    private readonly mapped: MappedFiles,
    private readonly rowsMin: number,
  ) {}

  /**
   * Bases chunks on the files that have all of their rows. Those that the next record of a checkpoint seals leave memory
   * anyway. `nowMs`: the log's time.
   */
  base(written: Iterable<readonly [Chunk, Written]>, nowMs: number): void {
    for (const [chunk, { rows, version, entry, changes }] of written) {
      if (chunk.basis?.isDamaged) this.compare(chunk);
      if (chunk.sealed || !chunk.isRead || chunk.basis?.file.name === entry.name) continue;
      // The file of an earlier basis is named no more.
      chunk.basis = undefined;
      const isWhole = entry.mapped === true && rows === chunk.rows;
      if (!isWhole || !this.isToBase(chunk) || chunk.isDoneBy(nowMs)) continue;
      this.baseOn(chunk, entry, changes === undefined && chunk.version === version);
    }
  }

  /** Reads the columns of a chunk that still changes. Throws SnapshotDamage or DiskError. */
  open(chunk: Chunk, head: ChunkHead, file: FileEntry, changes: FileEntry | undefined): Columns {
    const written = this.mapped.kept(file, headSection);
    const later = changes && this.mapped.kept(changes);
    if (!this.isToBase(chunk)) return loadColumns(head, written, later);
    const before = mappedColumns(written, undefined);
    expectContent(before.time.length === head.rows, `chunk ${head.number}: ${head.rows} rows in its file`);
    chunk.basis = { ...basisOf(file, before), version: later === undefined ? chunk.version : undefined };
    return later === undefined ? before : mappedColumns(written, later);
  }

  /** Notes whether the file of a chunk's basis is as it was written. */
  compare(chunk: Chunk): void {
    const basis = chunk.basis as Basis;
    try {
      this.mapped.kept(basis.file);
      chunk.basis = { ...basis, isDamaged: false };
    } catch (error) {
      if (!isExpected(error)) throw error;
      chunk.basis = { ...basis, isDamaged: true };
    }
  }

  private isToBase(chunk: Chunk): boolean {
    return chunk.full || chunk.rows >= this.rowsMin;
  }

  /**
   * `isSame`: whether the file has the chunk as it is. The columns stay in memory if the file cannot be read: the next
   * checkpoint tries again.
   */
  private baseOn(chunk: Chunk, file: FileEntry, isSame: boolean): void {
    try {
      const before = mappedColumns(this.mapped.kept(file, headSection), undefined);
      const columns = isSame ? before : basedColumns(before, chunk.columns, chunk.properties);
      chunk.base(columns, { ...basisOf(file, before), version: isSame ? chunk.version : undefined });
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }
}

function isExpected(error: unknown): boolean {
  return error instanceof SnapshotDamage || error instanceof DiskError;
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
