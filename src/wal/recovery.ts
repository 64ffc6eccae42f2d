/**
 * Reads the log after a start: every record from a sequence number on, in order, and the position where the log
 * continues. It repairs what a crash leaves behind, and only that; anything else is LogDamage.
 */
import { dirname, join } from "node:path";
import { AssertionError } from "../lib/assert.ts";
import { NewerFormat, WrongContent } from "../lib/decoding.ts";
import type { Disk } from "../lib/disk/disk.ts";
import { free } from "../lib/memory/free.ts";
import type { LogRecord } from "../record/record.ts";
import { copyTail, hints, LogDamage, renewSegment, setAsideSegment, type Repair } from "./damage.ts";
import { decodeHeader, headerBytes, type HeaderFault, type VerifiedHeader } from "./format.ts";
import { logStart, type LogPosition } from "./position.ts";
import { SegmentReader } from "./reader.ts";
import { listSegments, segmentFile, unfinishedName, type SegmentFile, type SegmentPart } from "./segment.ts";

export interface ReplayOptions {
  readonly disk: Disk;
  /** Created if it is missing. */
  readonly directory: string;
  readonly folderId: Uint8Array;
  /** The first record that is wanted; those before it are in a checkpoint. */
  readonly fromSeq: number;
  /** A record that a checkpoint has which cannot be read: a log that ends before it is refused. */
  readonly knownSeq?: number;
  readonly onRecord: (record: LogRecord, seq: number) => void;
  /** Reads these and nothing else of the directory; by default all segments, whole. */
  readonly parts?: readonly SegmentPart[] | undefined;
}

interface LogContent {
  readonly position: LogPosition;
  /** The number of records that were passed to `onRecord`. */
  readonly records: number;
}

export interface Replayed extends LogContent {
  readonly repairs: readonly Repair[];
}

type PlannedRepair = (disk: Disk, directory: string) => Repair;

export interface ReadLog extends LogContent {
  /** The newest segment, up to the end of its whole batches; undefined for a log without one. */
  readonly newest: SegmentPart | undefined;
  /** The repairs that a start makes. */
  readonly repairs: readonly PlannedRepair[];
}

/**
 * Replays the log. Repairs come last: a log that is refused is left as it was found. Throws LogDamage, NewerFormat or
 * DiskError.
 */
export function replay(options: ReplayOptions): Replayed {
  const { disk, directory } = options;
  disk.makeDirectory(directory);
  disk.syncDirectory(dirname(directory));
  const { repairs, newest, ...content } = readLog(options);
  disk.remove(join(directory, unfinishedName));
  const done = repairs.map((repair) => repair(disk, directory));
  // A tail that nothing has a copy of stays.
  const keepsTail = done.some(({ copy }) => copy === undefined);
  if (newest !== undefined)
    renewSegment(disk, directory, keepsTail ? { ...newest, bytes: Infinity } : newest);
  return { ...content, repairs: done };
}

/** Reads the log as `replay` does, and changes nothing. Throws LogDamage, NewerFormat or DiskError. */
export function readLog(options: ReplayOptions): ReadLog {
  const { directory, fromSeq } = options;
  const repairs: PlannedRepair[] = [];
  const segments = wantedSegments(options, repairs);
  let position = logStart;
  let newest: SegmentPart | undefined;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    const successor = next && { ...next, header: readHeader(options, next) };
    const end = readSegment(options, segment, successor, repairs);
    position = end.position;
    newest = { name: segment.name, bytes: end.bytes };
  }
  const needed = Math.max(fromSeq - 1, options.knownSeq ?? 0);
  if (position.nextSeq <= needed)
    throw new LogDamage(
      segments.at(-1)?.path ?? directory,
      position.lastLength,
      `the log ends with record ${position.nextSeq - 1}, but a checkpoint has ${needed}`,
      hints.backup,
    );
  return { position, records: position.nextSeq - fromSeq, newest, repairs };
}

/**
 * Reads a segment that another one follows, up to where that one begins. Returns its bytes. Throws LogDamage, NewerFormat or
 * DiskError.
 */
export function checkSegment(
  disk: Disk,
  directory: string,
  folderId: Uint8Array,
  segment: SegmentFile,
  next: SegmentFile,
): number {
  const { name, path, firstSeq: fromSeq } = segment;
  const options = { disk, directory, folderId, fromSeq, onRecord: () => {} };
  const { previousLength: bytes } = readHeader(options, next);
  const { position, repairs } = readLog({ ...options, parts: [{ name, bytes }] });
  if (repairs.length > 0 || position.nextSeq !== next.firstSeq)
    throw new LogDamage(
      path,
      position.lastLength,
      "its batches end before the next segment begins",
      hints.backup,
    );
  return bytes;
}

/**
 * Returns the segments from the one that holds `fromSeq` on. If the newest one is too short for a header, it is set
 * aside.
 */
function wantedSegments(options: ReplayOptions, repairs: PlannedRepair[]): SegmentFile[] {
  const { disk, directory, fromSeq, parts } = options;
  const segments = parts?.map(({ name }) => segmentFile(directory, name)) ?? listSegments(disk, directory);
  const newest = segments.at(-1);
  if (newest !== undefined && disk.size(newest.path) < headerBytes) {
    repairs.push((...place) => setAsideSegment(...place, newest));
    segments.pop();
  }
  const first = segments.findLastIndex(({ firstSeq }) => firstSeq <= fromSeq);
  if (first === -1 && segments[0] !== undefined)
    throw new LogDamage(
      segments[0].path,
      0,
      `it is the first segment, but the records from ${fromSeq} on are needed`,
      hints.folder,
    );
  if (first > 0) expectToFollow(options, segments[first - 1]!, segments[first]!);
  return segments.slice(Math.max(0, first));
}

/**
 * Throws LogDamage if the first segment that is wanted does not come after the one before it: another server has written
 * into the folder, and its checkpoint hides what this one has. A segment that is damaged, or not of this folder, says
 * nothing. Some in between may be missing: a power cut may bring back any of those that a checkpoint removed.
 */
function expectToFollow(options: ReplayOptions, before: SegmentFile, segment: SegmentFile): void {
  const header = inFile(before.path, 0, () => decodeHeader(options.disk.read(before.path, 0, headerBytes)));
  if (typeof header === "string" || !Buffer.from(header.folderId).equals(options.folderId)) return;
  const { number } = readHeader(options, segment);
  if (number <= header.number) throw wrongNumber(segment.path, number, header.number);
}

const headerFaults: Readonly<Record<HeaderFault, readonly [what: string, hint: string]>> = {
  short: ["the segment ends before its header does", hints.backup],
  damaged: ["the header of the segment is damaged", hints.backup],
};

function readHeader({ disk, folderId }: ReplayOptions, { path, firstSeq }: SegmentFile): VerifiedHeader {
  const header = inFile(path, 0, () => decodeHeader(disk.read(path, 0, headerBytes)));
  if (typeof header === "string") throw new LogDamage(path, 0, ...headerFaults[header]);
  if (!Buffer.from(header.folderId).equals(folderId))
    throw new LogDamage(path, 0, "the segment belongs to another data folder", hints.folder);
  if (header.firstSeq !== firstSeq)
    throw new LogDamage(path, 0, `the segment begins with record ${header.firstSeq}`, hints.folder);
  return header;
}

interface Successor extends SegmentFile {
  readonly header: VerifiedHeader;
}

interface SegmentEnd {
  readonly position: LogPosition;
  /** The end of its whole batches. */
  readonly bytes: number;
}

/** A shorter segment leaves less than the milliseconds are worth. */
const collectedBytesMin = 8 * 1024 * 1024;

function readSegment(
  options: ReplayOptions,
  segment: SegmentFile,
  successor: Successor | undefined,
  repairs: PlannedRepair[],
): SegmentEnd {
  const part = options.parts?.find(({ name }) => name === segment.name);
  // The runtime lets as much garbage come as the bytes of segments, and those of one are enough.
  if (options.disk.size(segment.path) > collectedBytesMin) Bun.gc(true);
  const bytes = options.disk.read(segment.path, 0, part?.bytes);
  try {
    return readFrames(options, segment, bytes, successor, repairs);
  } finally {
    // Records have copies of what they say. The runtime would keep the segments before until the next collection.
    free(bytes);
  }
}

function readFrames(
  options: ReplayOptions,
  segment: SegmentFile,
  bytes: Uint8Array,
  successor: Successor | undefined,
  repairs: PlannedRepair[],
): SegmentEnd {
  const header = readHeader(options, segment);
  const reader = new SegmentReader(bytes, header);
  readRecords(options, segment, reader, successor?.header.previousLength ?? bytes.length);
  const { at, nextSeq, lastChecksum, closed } = reader;
  const tail = bytes.length > at;
  if (successor !== undefined) checkSuccessor(segment, header, reader, successor);
  if (tail && (closed || (successor === undefined && reader.hasLaterFrame())))
    throw damagedBatch(segment, reader);
  // The header of the next segment says where this one ends.
  if (tail && successor === undefined) repairs.push((...place) => copyTail(...place, segment, at));
  const position =
    nextSeq === header.firstSeq
      ? positionBefore(header)
      : { nextSeq, segmentNumber: header.number, lastChecksum, lastLength: at };
  return { position, bytes: at };
}

function checkSuccessor(
  segment: SegmentFile,
  { number }: VerifiedHeader,
  reader: SegmentReader,
  successor: Successor,
): void {
  const { path, header } = successor;
  if (header.number !== number + 1) throw wrongNumber(path, header.number, number);
  const { at, nextSeq, lastChecksum } = reader;
  if (at < header.previousLength) throw damagedBatch(segment, reader);
  if (nextSeq !== header.firstSeq || lastChecksum !== header.previousChecksum)
    throw new LogDamage(path, 0, `it does not go on where ${segment.name} ends`, hints.folder);
}

function wrongNumber(path: string, number: number, before: number): LogDamage {
  return new LogDamage(path, 0, `it is segment ${number}, but the one before is ${before}`, hints.folder);
}

function damagedBatch({ path }: SegmentFile, { at, nextSeq }: SegmentReader): LogDamage {
  return new LogDamage(path, at, `the batch after record ${nextSeq - 1} is damaged`, hints.cut);
}

function readRecords(
  { fromSeq, onRecord }: ReplayOptions,
  { path }: SegmentFile,
  reader: SegmentReader,
  end: number,
): void {
  while (reader.at < end) {
    const { at, nextSeq } = reader;
    const records = inFile(path, at, () => reader.next());
    if (records === undefined) return;
    try {
      for (const [index, record] of records.entries())
        if (nextSeq + index >= fromSeq) onRecord(record, nextSeq + index);
    } catch (error) {
      // A failed assertion here means that the record does not fit the state: it is not the one that was logged in this
      // place.
      if (error instanceof AssertionError) throw wrongContent(path, at, error);
      throw error;
    }
  }
}

/** Reads what is at byte `at` of a file. Throws LogDamage or NewerFormat. */
function inFile<T>(path: string, at: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof NewerFormat) throw error.in(path);
    if (error instanceof WrongContent) throw wrongContent(path, at, error);
    throw error;
  }
}

function wrongContent(path: string, at: number, error: Error): LogDamage {
  return new LogDamage(path, at, `a record that does not fit the log: ${error.message}`, hints.backup, error);
}

/** Returns the log's position before a segment: one without a batch is started again under the same name. */
function positionBefore({ firstSeq, number, previousChecksum, previousLength }: VerifiedHeader): LogPosition {
  return {
    nextSeq: firstSeq,
    segmentNumber: number - 1,
    lastChecksum: previousChecksum,
    lastLength: previousLength,
  };
}
