/** The two things that can be wrong with a log: what a crash explains is repaired, anything else refused. */
import { join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { copyName, type SegmentFile } from "./segment.ts";

/** The log cannot be read in a way that a crash explains; nothing was changed. */
export class LogDamage extends Error {
  override name = "LogDamage";

  constructor(
    /** Path of the segment, or of the folder. */
    readonly file: string,
    /** Byte of the file. */
    readonly offset: number,
    what: string,
    /** What to do. */
    readonly hint: string,
    cause?: unknown,
  ) {
    super(`${file} at byte ${offset}: ${what}; ${hint}`, { cause });
  }
}

export const hints = {
  backup: "restore a backup of the data folder",
  cut:
    "restore a backup of the data folder, or give up every record from here on: cut the file at this byte " +
    "(truncate -s) and remove the segments after it",
  folder: "put back the segments of this data folder",
} as const;

/** Bytes that were never acknowledged, taken out of a segment. */
export interface Repair {
  readonly file: string;
  /** From where on. */
  readonly offset: number;
  readonly bytes: number;
  /** Path of what was taken out; it goes when the segment goes. */
  readonly copy: string;
}

/** Cuts a segment at `offset`, after what comes there was copied; a crash in between repeats it. Throws DiskError. */
export function cutSegment(disk: Disk, directory: string, segment: SegmentFile, offset: number): Repair {
  const tail = disk.read(segment.path, offset);
  const copy = join(directory, copyName(segment.name, offset));
  disk.remove(copy);
  const file = disk.create(copy);
  try {
    disk.write(file, tail);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
  disk.syncDirectory(directory);
  disk.truncate(segment.path, offset);
  return { file: segment.path, offset, bytes: tail.length, copy };
}

/** Takes a file out of the log that is too short to be a segment. Throws DiskError. */
export function setAsideSegment(disk: Disk, directory: string, segment: SegmentFile): Repair {
  const bytes = disk.size(segment.path);
  const copy = join(directory, copyName(segment.name, 0));
  disk.rename(segment.path, copy);
  disk.syncDirectory(directory);
  return { file: segment.path, offset: 0, bytes, copy };
}
