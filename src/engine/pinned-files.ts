/**
 * The files that together are the state of a data folder at one moment: a checkpoint's manifest, which names its other
 * files, and the log after it up to a record. Whoever copies or checks a folder reads exactly these.
 */
import { join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { manifestName, type Manifest } from "../snapshot/manifest.ts";
import { readNewest } from "../snapshot/read.ts";
import type { LogPosition } from "../wal/log.ts";
import { readLog } from "../wal/recovery.ts";
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
 * Returns the files from which a start would take the state of a folder that nobody serves; undefined if there is none.
 * Changes nothing. Throws SnapshotDamage, LogDamage, NewerFormat or DiskError.
 */
export function filesAtRest(disk: Disk, folder: string): FilesOfMoment | undefined {
  const { checkpoint } = readNewest(disk, folder, storedNames);
  if (checkpoint === undefined) return undefined;
  const { manifest } = checkpoint;
  const { position } = readLog({
    disk,
    directory: join(folder, "wal"),
    folderId: Uint8Array.fromHex(manifest.folderId),
    fromSeq: manifest.seq + 1,
    onRecord: () => {},
  });
  return filesUpTo(disk, folder, manifest, position);
}

function filesUpTo(disk: Disk, folder: string, { seq }: Manifest, end: LogPosition): FilesOfMoment {
  return {
    manifest: manifestName(seq),
    log: partsOf(disk, join(folder, "wal"), seq + 1, end),
    seq: end.nextSeq - 1,
  };
}
