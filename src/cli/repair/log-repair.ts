/**
 * Finds how much of the log after a checkpoint can be kept, and what has to leave the folder for that. A segment whose
 * header does not belong there goes alone, and the log may go on behind it. Nothing can go on behind a damaged batch.
 */
import { join } from "node:path";
import { loadMoment, readLogAfter } from "../../engine/pinned-files.ts";
import type { State } from "../../engine/checkpoint/state.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Manifest } from "../../snapshot/manifest.ts";
import { LogDamage } from "../../wal/damage.ts";
import {
  alignment,
  decodeFrame,
  decodeHeader,
  encodeHeader,
  headerBytes,
  headerChecksum,
} from "../../wal/format.ts";
import { listSegments, logPath, segmentName, type SegmentFile, type SegmentPart } from "../../wal/segment.ts";

export type Loaded = Pick<ReturnType<typeof loadMoment>, "state" | "files">;

export interface LogRepair {
  /** The state after the last record that is kept. */
  readonly state: State;
  readonly lastSeq: number;
  /** The time of that record; 0 if it is in the checkpoint. */
  readonly lastMs: number;
  /** The segments that leave the folder. */
  readonly removed: readonly string[];
  /** A segment of which only the first bytes stay. */
  readonly cut: SegmentPart | undefined;
  /** An empty segment, where none that follows the checkpoint is left. */
  readonly begun: { readonly name: string; readonly bytes: Uint8Array } | undefined;
}

/**
 * `load` loads the checkpoint anew: each attempt to read the log changes the state. Throws NewerFormat, DiskError, and
 * what `load` throws.
 */
export function repairLog(disk: Disk, folder: string, manifest: Manifest, load: () => State): LogRepair {
  if (manifest.stream !== undefined) return nothingAfter(manifest, load());
  const wal = logPath(folder);
  const all = segmentFiles(disk, wal).map(({ name, path }) => ({ name, bytes: disk.size(path) }));
  let parts: readonly SegmentPart[] = all;
  for (;;) {
    const state = load();
    let [lastSeq, lastMs] = [manifest.seq, 0];
    const apply = (record: LogRecord, seq: number) => {
      state.apply(record);
      [lastSeq, lastMs] = [seq, record.timeMs];
    };
    try {
      const isEmpty = parts.length === 0;
      if (!isEmpty) readLogAfter(disk, folder, manifest, apply, parts);
      const kept = new Map(parts.map(({ name, bytes }) => [name, bytes]));
      return {
        state,
        lastSeq,
        lastMs,
        removed: all.filter(({ name }) => !kept.has(name)).map(({ name }) => name),
        cut: parts.find(({ name, bytes }) => all.some((own) => own.name === name && own.bytes > bytes)),
        begun: isEmpty && manifest.seq > 0 ? emptySegment(manifest) : undefined,
      };
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
      parts = without(parts, wal, error);
    }
  }
}

/** The log of a copy is not in its folder. */
function nothingAfter({ seq }: Manifest, state: State): LogRepair {
  return { state, lastSeq: seq, lastMs: 0, removed: [], cut: undefined, begun: undefined };
}

/** Returns fewer parts, or a shorter one. */
function without(parts: readonly SegmentPart[], wal: string, { file, offset }: LogDamage): SegmentPart[] {
  const at = parts.findIndex(({ name }) => join(wal, name) === file);
  const damaged = parts[at];
  if (damaged === undefined) return [];
  if (offset === 0) return parts.toSpliced(at, 1);
  const isShorter = offset < damaged.bytes || at < parts.length - 1;
  // If it is as short already, the whole log ends before the checkpoint.
  return isShorter ? [...parts.slice(0, at), { name: damaged.name, bytes: offset }] : [];
}

/** Returns the segment without a batch with which a log begins behind a checkpoint: it says which record is the next. */
export function emptySegment({ folderId, seq }: Manifest) {
  const bytes = encodeHeader({
    folderId: Uint8Array.fromHex(folderId),
    number: 1,
    firstSeq: seq + 1,
    previousLength: 0,
    previousChecksum: 0,
  });
  return { name: segmentName(seq + 1), bytes };
}

/** Returns none if the directory is gone. */
function segmentFiles(disk: Disk, wal: string): SegmentFile[] {
  try {
    return listSegments(disk, wal);
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT") return [];
    throw error;
  }
}

export interface LogTraces {
  /** The names of all segments. */
  readonly names: readonly string[];
  /** The ids of data folders in the headers of segments, one a segment. */
  readonly folderIds: readonly string[];
  /** The first record of the first segment. */
  readonly firstSeq: number | undefined;
  /** The last record of that folder of which a whole batch is there, wherever it is; 0 for none. */
  readonly lastSeq: (folderId: string) => number;
  /** Whether a segment is of another folder, or has the name of another one. */
  readonly isForeign: (name: string, folderId: string) => boolean;
}

/** Reads what a damaged log still shows. Throws NewerFormat and DiskError. */
export function tracesOf(disk: Disk, folder: string): LogTraces {
  const segments = segmentFiles(disk, logPath(folder)).map((segment) => {
    const header = decodeHeader(disk.read(segment.path, 0, headerBytes));
    return typeof header === "string"
      ? { ...segment, header }
      : { ...segment, header, id: header.folderId.toHex() };
  });
  const isForeign = (asked: string, folderId: string) => {
    const found = segments.find(({ name }) => name === asked);
    if (found === undefined || !("id" in found)) return false;
    return found.id !== folderId || found.header.firstSeq !== found.firstSeq;
  };
  return {
    names: segments.map(({ name }) => name),
    folderIds: segments.flatMap((segment) => ("id" in segment ? segment.id : [])),
    firstSeq: segments[0]?.firstSeq,
    isForeign,
    // The batches of a segment may be whole although its header is damaged.
    lastSeq: (folderId) =>
      segments
        .filter(({ name, header }) => header !== "short" && !isForeign(name, folderId))
        .reduce((last, { path }) => Math.max(last, lastSeqIn(disk.read(path))), 0),
  };
}

function lastSeqIn(bytes: Uint8Array): number {
  const seed = headerChecksum(bytes);
  let last = 0;
  for (let at = headerBytes; at < bytes.length;) {
    const frame = decodeFrame(bytes, at, seed);
    if (frame !== undefined) last = Math.max(last, frame.firstSeq + frame.count - 1);
    at = frame?.end ?? at + alignment;
  }
  return last;
}
