/**
 * Gives full chunks that hits may still change the files of checkpoints as their basis (basis.ts): when a checkpoint has
 * written them, and when they are read after a start.
 */
import { expectContent } from "../../lib/decoding.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import type { MappedFiles } from "../../snapshot/mapped-files.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import type { Basis } from "../../store/columns/basis.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ChunkHead } from "../../store/chunks/chunk-head.ts";
import type { Columns } from "../../store/columns/columns.ts";
import { byName } from "../../snapshot/named-sections.ts";
import { loadChanged, saveChanges, withChanges } from "../../store/files/chunk-changes.ts";
import { chunkHead, viewColumns, withRoom } from "../../store/files/save-chunk.ts";

/** Most page views get their time and their events within this time. */
const quietMs = 600_000;

/** Returns whether hardly a hit comes for a chunk any more. */
export function isQuiet({ maxMs }: Chunk, nowMs: number): boolean {
  return nowMs - maxMs > quietMs;
}

export class BasedChunks {
  /** `rowsMin`: a chunk with this many rows is mapped though it is not full. */
  constructor(
    private readonly mapped: MappedFiles,
    private readonly rowsMin: number,
  ) {}

  /**
   * Bases chunks on the files that have all of their rows. Those that the next record of a checkpoint seals leave memory
   * anyway. `nowMs`: the log's time. The columns of a chunk stay in memory if its file cannot be mapped: the next checkpoint
   * tries again. Returns the error then, but for damage and what the disk says.
   */
  base(written: Iterable<readonly [Chunk, { readonly entry: FileEntry }]>, nowMs: number): unknown {
    let unexpected: unknown;
    for (const [chunk, { entry }] of written)
      try {
        this.baseOn(chunk, entry, nowMs);
      } catch (error) {
        if (!isExpected(error)) unexpected ??= error;
      }
    return unexpected;
  }

  /** Reads the columns of a chunk that still changes. Throws SnapshotDamage or DiskError. */
  open(chunk: Chunk, head: ChunkHead, file: FileEntry, changes: FileEntry | undefined): Columns {
    const written = viewColumns(this.mapped.kept(file, chunkHead));
    const { length } = written.time;
    expectContent(length === head.rows, `chunk ${head.number}: ${length} rows in its file of ${head.rows}`);
    const later = changes && this.mapped.kept(changes);
    chunk.changed = loadChanged(file.name, written, later);
    const columns = later === undefined ? written : withChanges(written, later);
    if (!this.isToBase(chunk)) return withRoom(columns);
    chunk.basis = basisOf(file, written);
    return ownColumns(columns);
  }

  /**
   * Returns whether a chunk that changed is to have a file with its changes: until it is mapped from one, the pages that hits
   * have written to take memory.
   */
  isWorn(chunk: Chunk, nowMs: number): boolean {
    const { basis, changed } = chunk;
    return basis?.isDamaged === false && changed?.isQuiet === false && isQuiet(chunk, nowMs);
  }

  /** Notes whether the file of a chunk's basis is as it was written. Returns what is wrong with it. */
  compare(chunk: Chunk): SnapshotDamage | DiskError | undefined {
    const basis = chunk.basis as Basis;
    try {
      this.mapped.compare(basis.file);
      chunk.basis = { ...basis, isDamaged: false };
      return undefined;
    } catch (error) {
      if (!isExpected(error)) throw error;
      chunk.basis = { ...basis, isDamaged: true };
      return error;
    }
  }

  private isToBase(chunk: Chunk): boolean {
    return chunk.full || chunk.rows >= this.rowsMin;
  }

  private baseOn(chunk: Chunk, file: FileEntry, nowMs: number): void {
    if (chunk.basis?.isDamaged) this.compare(chunk);
    if (chunk.sealed || !chunk.isRead || chunk.basis?.file.name === file.name) return;
    // The file of an earlier basis is named no more.
    chunk.basis = undefined;
    const { changed } = chunk;
    const isWhole = file.mapped === true && changed?.file === file.name;
    if (!isWhole || !this.isToBase(chunk) || chunk.isDoneBy(nowMs)) return;
    const written = viewColumns(this.mapped.kept(file, chunkHead));
    const columns = withChanges(written, byName(saveChanges(chunk, changed)));
    chunk.base(ownColumns(columns), basisOf(file, written));
  }
}

function isExpected(error: unknown): error is SnapshotDamage | DiskError {
  return error instanceof SnapshotDamage || error instanceof DiskError;
}

function basisOf(file: FileEntry, { time }: Columns): Basis {
  return { file, buffer: time.buffer, isDamaged: false, rewrites: [] };
}

/** Returns columns of which each may be replaced by a larger one. */
function ownColumns({ ids, ...plain }: Columns): Columns {
  return { ...plain, ids: { ...ids } };
}
