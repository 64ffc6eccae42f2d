/** A log folder on a memory disk: write batches to it, replay it. */
import { noVisitValues } from "../../src/core/questions/stored-dimension.ts";
import type { Disk } from "../../src/lib/disk/disk.ts";
import type { LogRecord, RecordOf } from "../../src/record/record.ts";
import { Log } from "../../src/wal/log.ts";
import type { LogPosition } from "../../src/wal/position.ts";
import type { LogPort } from "../../src/wal/worker-port.ts";
import { SegmentStore } from "../../src/wal/segment-store.ts";
import { replay, type Replayed } from "../../src/wal/recovery.ts";
import { LogDamage } from "../../src/wal/damage.ts";
import { localLogPort } from "./local-ports.ts";
import { MemoryDisk } from "./memory-disk.ts";

export const directory = "/data/wal";
export const folderId = Uint8Array.from({ length: 16 }, (_, index) => index + 1);

export function segmentPath(firstSeq: number): string {
  return `${directory}/${String(firstSeq).padStart(16, "0")}.wal`;
}

/** A record that is told from all others by its number. */
export function numbered(number: number): RecordOf<"load"> {
  return {
    kind: "load",
    timeMs: 1_700_000_000_000 + number,
    websiteId: 1,
    beacon: `b${number}`,
    unique: number % 2 === 0,
    seen: false,
    values: [
      `/page/${number % 7}`,
      ...["google.com", "", "", "", "Firefox", "Linux", "Desktop", "DE", "de", "", ""],
    ],
    properties: [["number", String(number)]],
    hasOthers: false,
    visit: 0,
    visitValues: noVisitValues,
    sharesBeacon: false,
    numbers: [],
    atMs: null,
  };
}

export function numberedFrom(first: number, count: number): LogRecord[] {
  return Array.from({ length: count }, (_, index) => numbered(first + index));
}

export interface OpenedLog {
  readonly log: Log<number>;
  /** The records that were applied, by sequence number. */
  readonly applied: Map<number, LogRecord>;
}

export interface SegmentOptions {
  readonly position?: LogPosition;
  readonly segmentBytesMax?: number;
  readonly port?: LogPort;
  readonly directory?: string;
}

export function segmentStore(disk: Disk, options: SegmentOptions = {}): SegmentStore {
  return new SegmentStore({ directory, folderId, port: localLogPort(disk), ...options });
}

export function openLog(disk: Disk, options: SegmentOptions = {}): OpenedLog {
  const applied = new Map<number, LogRecord>();
  const log = new Log<number>({
    store: segmentStore(disk, options),
    apply: (record, seq) => {
      applied.set(seq, record);
      return seq;
    },
  });
  return { log, applied };
}

export type Read = Replayed & { readonly read: LogRecord[]; readonly seqs: number[] };

export function replayAll(disk: Disk, options: { fromSeq?: number; directory?: string } = {}): Read {
  const read: LogRecord[] = [];
  const seqs: number[] = [];
  const onRecord = (record: LogRecord, seq: number) => {
    read.push(record);
    seqs.push(seq);
  };
  const result = replay({ disk, directory, folderId, fromSeq: 1, onRecord, ...options });
  return { ...result, read, seqs };
}

/** Writes batches, each a frame; `rotateAfter` names those after which a new segment begins. */
export async function writeLog(
  disk: Disk,
  batches: readonly (readonly LogRecord[])[],
  rotateAfter: readonly number[] = [],
): Promise<LogRecord[]> {
  const { position } = replayAll(disk);
  const { log } = openLog(disk, { position });
  for (const [index, batch] of batches.entries()) {
    await Promise.all(batch.map((record) => log.append(record)));
    if (rotateAfter.includes(index)) await log.rotate();
  }
  await log.close();
  return batches.flat();
}

/** Returns the damage that a log is refused with. */
export function damageOf(disk: MemoryDisk, options: { fromSeq?: number } = {}): LogDamage {
  try {
    replayAll(disk, options);
  } catch (error) {
    if (error instanceof LogDamage) return error;
    throw error;
  }
  throw new Error("the log was not refused");
}

export function edit(disk: MemoryDisk, path: string, change: (bytes: Uint8Array) => Uint8Array): void {
  disk.put(path, change(disk.read(path)));
}

/** A log of three segments: 1 and 2; 3; 4 and 5, in batches of one record. */
export async function threeSegments(): Promise<MemoryDisk> {
  const disk = new MemoryDisk();
  await writeLog(
    disk,
    numberedFrom(1, 5).map((record) => [record]),
    [1, 2],
  );
  return disk;
}
