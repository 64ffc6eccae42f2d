/**
 * The files that together are the state of a data folder at one moment: a checkpoint's manifest, which names its other
 * files, and the log after it up to a record. Whoever copies or checks a folder reads exactly these.
 */
import { join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { MemoryBudget } from "../lib/memory-budget.ts";
import { MappedFiles } from "../snapshot/mapped-files.ts";
import { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import { manifestName, type Manifest } from "../snapshot/manifest.ts";
import { readCheckpoint, readNewest } from "../snapshot/read.ts";
import type { LogPosition } from "../wal/log.ts";
import { readLog, type ReadLog } from "../wal/recovery.ts";
import type { LogRecord } from "../record/record.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import { partsOf, type SegmentPart } from "../wal/segment.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import { storedNames } from "./checkpoint/checkpoint-names.ts";

export interface FilesOfMoment {
  /** The name of the checkpoint's manifest. */
  readonly manifest: string;
  readonly log: readonly SegmentPart[];
  /** The last record of the log. */
  readonly seq: number;
}

export interface PinnedFiles extends FilesOfMoment {
  /** Lets the files go: until then none of them is changed or removed. */
  release(): void;
}

/** Pins the files of this moment, in which everything is that was ever acknowledged. Throws DiskError. */
export function pinFiles(
  disk: Disk,
  folder: string,
  checkpointer: Checkpointer,
  end: LogPosition,
): PinnedFiles {
  const { manifest, release } = checkpointer.pin();
  try {
    return { ...filesUpTo(disk, folder, manifest, end), release };
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
  return filesUpTo(disk, folder, manifest, readLogAfter(disk, folder, manifest).position);
}

/** Reads the log after a checkpoint. Changes nothing; throws what `readLog` throws. */
export function readLogAfter(
  disk: Disk,
  folder: string,
  { folderId: id, seq }: Pick<Manifest, "folderId" | "seq">,
  onRecord: (record: LogRecord, seq: number) => void = () => {},
  parts?: readonly SegmentPart[],
): ReadLog {
  const [directory, folderId] = [join(folder, "wal"), Uint8Array.fromHex(id)];
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

function filesUpTo(disk: Disk, folder: string, { seq }: Manifest, end: LogPosition): FilesOfMoment {
  return {
    manifest: manifestName(seq),
    log: partsOf(disk, join(folder, "wal"), seq + 1, end),
    seq: end.nextSeq - 1,
  };
}
