/** The files of the log, named `<first seq, 16 digits>.wal`, and the removal of those no longer needed. */
import { join } from "node:path";
import type { Disk } from "../lib/disk/disk.ts";
import { headerBytes } from "./format.ts";

/** The directory of a data folder that has the log, and what the names of its files begin with from that folder on. */
export const logDirectory = "wal";
export const logPrefix = `${logDirectory}/`;

const digits = 16;
const namePattern = /^\d{16}\.wal$/;
const copyPattern = /^(\d{16})\.wal\.torn-\d+$/;
/** The name of a segment that is being started; it gets its own name when its first batch is durable. */
export const unfinishedName = "unfinished";

export interface SegmentFile {
  readonly path: string;
  readonly name: string;
  readonly firstSeq: number;
}

export function logPath(folder: string): string {
  return join(folder, logDirectory);
}

export function isSegment(name: string): boolean {
  return namePattern.test(name);
}

export function segmentName(firstSeq: number): string {
  return `${String(firstSeq).padStart(digits, "0")}.wal`;
}

/** Returns the name of the file that keeps bytes which are no part of the log, for inspection. */
export function copyName(segment: string, offset: number): string {
  return `${segment}.torn-${offset}`;
}

/** A segment, or so much from its beginning as holds whole durable batches. */
export interface SegmentPart {
  readonly name: string;
  readonly bytes: number;
}

/** The end of what is wanted of the log: the record after the last one, and the length of the segment that holds it. */
export interface LogEnd {
  readonly nextSeq: number;
  readonly lastLength: number;
}

/** Lists what a replay of the records from `fromSeq` up to `end` reads. */
export function partsOf(
  disk: Disk,
  directory: string,
  fromSeq: number,
  { nextSeq, lastLength }: LogEnd,
): SegmentPart[] {
  const all = listSegments(disk, directory);
  const segments = all.filter(({ firstSeq }) => firstSeq < nextSeq);
  // A log without a batch, as one that has left a stream, says which record is the next.
  const begun = segments.length === 0 && all.find(({ firstSeq }) => firstSeq === nextSeq && nextSeq > 1);
  if (begun) return [{ name: begun.name, bytes: headerBytes }];
  const first = segments.findLastIndex(({ firstSeq }) => firstSeq <= fromSeq);
  const parts = segments.slice(Math.max(0, first));
  return parts.map(({ name, path }, index) => ({
    name,
    bytes: index === parts.length - 1 ? lastLength : disk.size(path),
  }));
}

/** Lists the segments in the order of their records. */
export function listSegments(disk: Disk, directory: string): SegmentFile[] {
  return disk
    .list(directory)
    .filter(isSegment)
    .map((name) => segmentFile(directory, name));
}

export function segmentFile(directory: string, name: string): SegmentFile {
  return { path: join(directory, name), name, firstSeq: Number(name.slice(0, digits)) };
}

/** Removes all segments, with the copies of their torn bytes. Throws DiskError. */
export function removeSegments(disk: Disk, directory: string): void {
  const names = disk.list(directory).filter((name) => isSegment(name) || copyPattern.test(name));
  for (const name of names) disk.remove(join(directory, name));
  if (names.length > 0) disk.syncDirectory(directory);
}

/**
 * Removes the segments all of whose records are below `seq`, oldest first, with the copies of their torn bytes: deleted
 * data must leave those too. The newest segment always stays. Throws DiskError.
 */
export function removeSegmentsBefore(disk: Disk, directory: string, seq: number): void {
  const segments = listSegments(disk, directory);
  const kept =
    segments[
      Math.max(
        0,
        segments.findLastIndex(({ firstSeq }) => firstSeq <= seq),
      )
    ];
  if (kept === undefined) return;
  for (const name of disk.list(directory)) {
    const firstSeq = isSegment(name) ? name.slice(0, digits) : copyPattern.exec(name)?.[1];
    if (firstSeq !== undefined && Number(firstSeq) < kept.firstSeq) disk.remove(join(directory, name));
  }
  disk.syncDirectory(directory);
}
