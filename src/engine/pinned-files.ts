/**
 * The files that together are the state of a data folder at one moment: a checkpoint's manifest, which names its other
 * files, and the log after it up to a record. Whoever copies or checks a folder reads exactly these.
 */
import { join } from "node:path";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { MemoryBudget } from "../lib/memory/memory-budget.ts";
import type { FilesOfMoment } from "../snapshot/backup-list.ts";
import { MappedFiles } from "../snapshot/mapped-files.ts";
import { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import { manifestName, type FileEntry, type Manifest } from "../snapshot/manifest.ts";
import { readCheckpoint, readNewest } from "../snapshot/read-checkpoint.ts";
import { logStart, type LogPosition } from "../wal/position.ts";
import { readLog, type ReadLog } from "../wal/recovery.ts";
import type { LogRecord } from "../record/record.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import { logPath, partsOf, type SegmentPart } from "../wal/segment.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import { storedNames } from "./checkpoint/checkpoint-names.ts";
import { monthsBeside } from "./files/month-files.ts";
import type { DiskRoom } from "./log/disk-room.ts";
import type { OpenedLog } from "./log/open-log.ts";

export interface PinnedFiles extends FilesOfMoment {
  /** Lets the files go: until then none of them is changed or removed. */
  release(): void;
}

/** A backup copies the segment that still grows whole, and the next one again: one of this size grows no more. */
const segmentBytesMax = 64 * 1024;

/**
 * Pins the files of this moment, in which everything is that was ever acknowledged. Without segments the folder is a copy:
 * a checkpoint is made, which has all that is applied, also where the log has no room for its record: backups are what
 * makes room there. Rejects with DiskError, and Refusal 500 while files are awaited.
 */
export async function pinFiles(
  disk: Disk,
  folder: string,
  checkpointer: Checkpointer,
  { log, segmentsEnd }: Pick<OpenedLog, "log" | "segmentsEnd">,
  room: Pick<DiskRoom, "needed">,
): Promise<PinnedFiles> {
  const grown = segmentsEnd()?.lastLength;
  if (grown !== undefined && grown >= segmentBytesMax) await log.rotate();
  if (grown === undefined)
    await checkpointer.make().catch((error: unknown) => {
      if (!checkpointer.hasAll) throw error;
    });
  const { manifest, months, release } = checkpointer.pin();
  try {
    return {
      ...filesUpTo(disk, folder, manifest, segmentsEnd(), months),
      keptFreeBytes: room.needed,
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Returns the files from which a start would take the state of a folder that nobody serves. Changes nothing. Throws
 * SnapshotDamage, LogDamage, NewerFormat or DiskError.
 */
export function filesAtRest(disk: Disk, folder: string): FilesOfMoment {
  const { checkpoint } = readNewest(disk, folder, storedNames);
  if (checkpoint === undefined) throw new SnapshotDamage(folder, undefined, "it has no checkpoint");
  const { manifest } = checkpoint;
  const months: FileEntry[] = [];
  const onRecord = (record: LogRecord) => {
    if (record.kind !== "monthReduced" && record.kind !== "monthImported") return;
    const { name, bytes, checksum } = record;
    // The record changed nothing if rows came meanwhile, and the file may have gone then.
    if (isThere(disk, join(folder, name))) months.push({ name, bytes, checksum });
  };
  const { position } = readLogAfter(disk, folder, manifest, onRecord);
  const end = manifest.stream === undefined ? position : undefined;
  return filesUpTo(disk, folder, manifest, end, monthsBeside(manifest, months));
}

/** Reads the log after a checkpoint; there is none in a copy. Changes nothing; throws what `readLog` throws. */
export function readLogAfter(
  disk: Disk,
  folder: string,
  { folderId: id, seq, stream }: Pick<Manifest, "folderId" | "seq" | "stream">,
  onRecord: (record: LogRecord, seq: number) => void = () => {},
  parts?: readonly SegmentPart[],
): ReadLog {
  if (stream !== undefined)
    return { position: { ...logStart, nextSeq: seq + 1 }, records: 0, newest: undefined, repairs: [] };
  const [directory, folderId] = [logPath(folder), Uint8Array.fromHex(id)];
  return readLog({ disk, directory, folderId, fromSeq: seq + 1, onRecord, parts });
}

/** The bytes of files that are mapped at a time. */
const mappedBytes = 256 * 1024 * 1024;

/** Loads the state from a checkpoint as a start does, without the log after it. Throws as reading its files does. */
export function loadMoment(disk: Disk, folder: string, { manifest: name }: Pick<FilesOfMoment, "manifest">) {
  const checkpoint = readCheckpoint(disk, folder, name, storedNames);
  return { manifest: checkpoint.manifest, ...CheckpointFiles.load(checkpoint, mappedIn(disk, folder)) };
}

/** Returns the reader of files that are mapped. Whoever gets their damage reports it. */
export function mappedIn(disk: Disk, folder: string): MappedFiles {
  return new MappedFiles({ disk, folder, budget: new MemoryBudget(mappedBytes), onDamage: () => {} });
}

function isThere(disk: Disk, path: string): boolean {
  try {
    return disk.size(path) >= 0;
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT") return false;
    throw error;
  }
}

function filesUpTo(
  disk: Disk,
  folder: string,
  { seq }: Manifest,
  end: LogPosition | undefined,
  months: readonly FileEntry[],
): FilesOfMoment {
  return {
    months,
    manifest: manifestName(seq),
    log: end === undefined ? [] : partsOf(disk, logPath(folder), seq + 1, end),
    seq: end === undefined ? seq : end.nextSeq - 1,
  };
}
