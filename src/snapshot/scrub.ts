/**
 * Compares files with their checksums, slowly, so that damage of what is seldom read is found while there is still another
 * copy somewhere. It reads files in pieces and segments of the log whole, with pauses, so that it never takes more bytes a
 * second than it is told.
 */
import { join } from "node:path";
import { checksum } from "../lib/hashes/checksum.ts";
import type { Clock } from "../lib/clock.ts";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { LogDamage } from "../wal/damage.ts";
import { checkSegment } from "../wal/recovery.ts";
import { listSegments, logDirectory, logPath } from "../wal/segment.ts";
import type { FileEntry } from "./manifest.ts";
import { damageOf } from "./section-use.ts";
import { decodeSections, SnapshotDamage } from "./section.ts";

const pieceBytes = 2 ** 20;
const footBytes = 4;

export interface ScrubJob {
  readonly folder: string;
  /** An entry of a manifest, or the name of a file that only states its own checksum and need not be there. */
  readonly files: readonly (FileEntry | { readonly name: string })[];
  /** The id of the data folder, which the segments of its log have; the newest one is still written, and left out. */
  readonly folderId: Uint8Array;
  readonly bytesPerSecond: number;
}

type ScrubbedFile = ScrubJob["files"][number];

export interface DamagedFile {
  readonly file: string;
  readonly error: string;
}

export interface ScrubOptions {
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  readonly onDamaged: (damaged: DamagedFile) => void;
}

/** Compares all files. Rejects with a DiskError that says nothing about a file. */
export async function scrub(disk: Disk, job: ScrubJob, { clock, sleep, onDamaged }: ScrubOptions) {
  const startMs = clock.monotonicMs();
  let bytes = 0;
  for (const step of steps(disk, job)) {
    if (typeof step !== "number") {
      onDamaged(step);
      continue;
    }
    bytes += step;
    const earlyMs = startMs + (bytes / job.bytesPerSecond) * 1_000 - clock.monotonicMs();
    if (earlyMs > 0) await sleep(earlyMs);
  }
}

/** Yields the bytes of each piece that was read, and each damaged file. */
function* steps(disk: Disk, { folder, files, folderId }: ScrubJob): Generator<number | DamagedFile> {
  const directory = logPath(folder);
  const segments = listSegments(disk, directory);
  for (const [at, segment] of segments.entries()) {
    const next = segments[at + 1];
    if (next === undefined) break;
    try {
      yield checkSegment(disk, directory, folderId, segment, next);
    } catch (error) {
      // It may have been removed meanwhile.
      if (error instanceof DiskError && error.code === "ENOENT") continue;
      if (!(error instanceof LogDamage) && !isUnreadable(error)) throw error;
      yield { file: `${logDirectory}/${segment.name}`, error: (error as Error).message };
    }
  }
  for (const file of files) {
    try {
      yield* compare(disk, folder, file);
    } catch (error) {
      const isMissing = error instanceof DiskError && error.code === "ENOENT";
      if (isMissing && !("checksum" in file)) continue;
      if (!isMissing && !(error instanceof SnapshotDamage) && !isUnreadable(error)) throw error;
      yield { file: file.name, error: (error as Error).message };
    }
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof DiskError && ["EIO", "EISDIR"].includes(error.code);
}

/** Yields the bytes of each piece. Throws SnapshotDamage and DiskError. */
function* compare(disk: Disk, folder: string, file: ScrubbedFile): Generator<number> {
  const path = join(folder, file.name);
  const size = disk.size(path);
  const end = Math.max(0, size - footBytes);
  let found = 0;
  for (let at = 0; at < end; at += pieceBytes) {
    const piece = disk.read(path, at, Math.min(pieceBytes, end - at));
    found = checksum(piece, found);
    yield piece.length;
  }
  const isWhole = "checksum" in file ? isAsListed(file, size, found) : statesOwn(disk.read(path, end), found);
  if (isWhole) return;
  // Read once more as a whole: this finds the place.
  const bytes = disk.read(path);
  const damage = "checksum" in file ? damageOf(bytes, file) : void decodeSections(bytes, file.name);
  if (damage !== undefined) throw damage;
}

function isAsListed(entry: FileEntry, size: number, found: number): boolean {
  return size === entry.bytes && found === entry.checksum;
}

function statesOwn(foot: Uint8Array, found: number): boolean {
  return foot.length === footBytes && new DataView(foot.buffer, foot.byteOffset).getUint32(0, true) === found;
}
