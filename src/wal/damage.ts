/**
 * The two faults that a log can have: one that a crash explains is repaired, anything else is refused. A torn tail is one
 * after which nothing with a higher sequence number verifies. It is copied aside, cut and reported.
 */
import { join } from "node:path";
import { writeFile, type Disk } from "../lib/disk/disk.ts";
import { isFull } from "../lib/disk/full.ts";
import { free } from "../lib/memory/free.ts";
import { copyName, unfinishedName, type SegmentFile, type SegmentPart } from "./segment.ts";

/** The log cannot be read, and no crash explains it. Nothing was changed. */
export class LogDamage extends Error {
  override name = "LogDamage";

  constructor(
    /** The path of the segment, or of the folder. */
    readonly file: string,
    /** The offset in the file, in bytes. */
    readonly offset: number,
    readonly what: string,
    /** Says what to do. */
    hint: string,
    cause?: unknown,
  ) {
    super(`${file} at byte ${offset}: ${what}; ${hint}`, { cause });
  }
}

export const hints = {
  backup: "restore a backup of the data folder, or see what 'footfall repair' can keep",
  cut:
    "restore a backup of the data folder, or give up every record from here on with 'footfall repair --accept-loss', " +
    "which copies aside what it changes",
  folder: "put back the segments of this data folder",
} as const;

/** Bytes that were never acknowledged, and were taken out of a segment. */
export interface Repair {
  readonly file: string;
  /** The offset from which they were taken out. */
  readonly offset: number;
  readonly bytes: number;
  /**
   * The path of the file that holds them now; it is removed with the segment. Undefined if the disk is full: they stay in
   * the segment until another start.
   */
  readonly copy: string | undefined;
}

/**
 * Copies the bytes from `offset` on, which `renewSegment` then leaves out. If the disk has no room for the copy they stay: the
 * next batch begins a segment that says where this one ends, as after a failed write. Throws DiskError.
 */
export function copyTail(disk: Disk, directory: string, segment: SegmentFile, offset: number): Repair {
  const tail = disk.read(segment.path, offset);
  const copy = join(directory, copyName(segment.name, offset));
  const repair = { file: segment.path, offset, bytes: tail.length };
  try {
    writeFile(disk, copy, tail);
    disk.syncDirectory(directory);
    return { ...repair, copy };
  } catch (error) {
    if (!isFull(error)) throw error;
    disk.remove(copy);
    return { ...repair, copy: undefined };
  }
}

/**
 * Makes a part of a segment durable, by a new file in its place: a process that was killed has left batches that the system
 * may not have written yet, and after a sync that failed it shows some that it never will. The next segment counts on them.
 * On a full disk it is synced as far as that can be. Throws DiskError.
 */
export function renewSegment(disk: Disk, directory: string, { name, bytes }: SegmentPart): void {
  const path = join(directory, name);
  const unfinished = join(directory, unfinishedName);
  const content = disk.read(path, 0, bytes);
  try {
    writeFile(disk, unfinished, content);
    disk.rename(unfinished, path);
    disk.syncDirectory(directory);
  } catch (error) {
    if (!isFull(error)) throw error;
    disk.remove(unfinished);
    syncUnlessFull(disk, path);
  } finally {
    free(content);
  }
}

function syncUnlessFull(disk: Disk, path: string): void {
  const file = disk.open(path);
  try {
    disk.sync(file);
  } catch (error) {
    if (!isFull(error)) throw error;
  } finally {
    disk.close(file);
  }
}

/** Renames a file that is too short to be a segment, so that it is no part of the log. Throws DiskError. */
export function setAsideSegment(disk: Disk, directory: string, segment: SegmentFile): Repair {
  const bytes = disk.size(segment.path);
  const copy = join(directory, copyName(segment.name, 0));
  disk.rename(segment.path, copy);
  disk.syncDirectory(directory);
  return { file: segment.path, offset: 0, bytes, copy };
}
