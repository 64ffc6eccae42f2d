/**
 * The list of a backup: every file of a data folder at one moment, with its length and checksum. A backup is those files
 * and, written last, this list: without it a backup is incomplete.
 */
import { join } from "node:path";
import { checksum } from "../lib/hashes/checksum.ts";
import { expectContent } from "../lib/decoding.ts";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { logPrefix, type SegmentPart } from "../wal/segment.ts";
import {
  decodeManifest,
  isFileOfCheckpoint,
  numbered,
  type FileEntry,
  type StoredNames,
} from "./manifest.ts";
import {
  decodeSections,
  encodeSections,
  fileChecksum,
  jsonSection,
  readInFile,
  readJson,
  SnapshotDamage,
} from "./section.ts";

export interface BackupList {
  /** The id of the data folder, as in its manifests. */
  readonly folderId: string;
  /** The last record of the log that the backup has. */
  readonly seq: number;
  readonly madeMs: number;
  /** The manifest, the files that it names, and the log, in this order. `checksum` is what `backupChecksum` returns. */
  readonly files: readonly Omit<FileEntry, "mapped">[];
}

export type BackupEntry = BackupList["files"][number];

const suffix = ".backup";
const outsideManifest = /^(\d{16}\.manifest|wal\/\d{16}\.wal)$/;

/** Returns the name of a list. A record says nothing about age: a folder may have been set back to an earlier state. */
export function listName({ seq, madeMs }: BackupList): string {
  return `${numbered(seq)}.${new Date(madeMs).toISOString().replaceAll(":", "")}${suffix}`;
}

export function isListName(name: string): boolean {
  return /^\d{16}\.[\dTZ.-]+\.backup$/.test(name) && !Number.isNaN(listTimeMs(name));
}

/** Compares the names of two lists by their time, then by their record. */
export function compareLists(a: string, b: string): number {
  return listTimeMs(a) - listTimeMs(b) || (a < b ? -1 : Number(a > b));
}

/** Returns when the backup with this list was made, in milliseconds since 1970. */
export function listTimeMs(name: string): number {
  const [, day, hour, minute, second] = /\.(.{10})T(..)(..)(.*)\.backup$/.exec(name) ?? [];
  return Date.parse(`${day}T${hour}:${minute}:${second}`);
}

/** Returns the last record of the backup with this list. */
export function listSeq(name: string): number {
  return Number.parseInt(name, 10);
}

/** Returns whether a file of that name may be in a backup; no such name leads out of a folder. */
export function isBackupFile(name: string): boolean {
  return outsideManifest.test(name) || isFileOfCheckpoint(name);
}

export function encodeList(list: BackupList): Uint8Array {
  return encodeSections([jsonSection("backup", list)]);
}

/** Throws SnapshotDamage and NewerFormat. */
export function decodeList(bytes: Uint8Array, name: string): BackupList {
  const sections = decodeSections(bytes, name);
  return readInFile(name, () => {
    const section = sections.get("backup");
    expectContent(section !== undefined, "no list of a backup");
    const list = readJson(section) as BackupList;
    for (const file of list.files)
      expectContent(isBackupFile(file.name), `a file ${JSON.stringify(file.name)}`);
    return list;
  });
}

/** The files that together are the state of a data folder at one moment. */
export interface FilesOfMoment {
  /** The name of the checkpoint's manifest. */
  readonly manifest: string;
  readonly log: readonly SegmentPart[];
  /** The files of months that gave up their rows after the checkpoint. */
  readonly months: readonly FileEntry[];
  /** The last record of the log. */
  readonly seq: number;
  /** The free bytes that the server of the folder needs on its disk to take hits; missing without a server. */
  readonly keptFreeBytes?: number;
}

/** Makes the list of the files of one moment. Throws SnapshotDamage, NewerFormat and DiskError. */
export function listFiles(
  disk: Disk,
  folder: string,
  { manifest: name, log, months, seq }: FilesOfMoment,
  known: StoredNames,
  madeMs: number,
): BackupList {
  const bytes = disk.read(join(folder, name));
  const manifest = decodeManifest(bytes, name, known);
  const segments = log.map((part) => {
    const file = `${logPrefix}${part.name}`;
    return {
      name: file,
      bytes: part.bytes,
      checksum: checksum(disk.read(join(folder, file), 0, part.bytes)),
    };
  });
  const own = { name, bytes: bytes.length, checksum: fileChecksum(bytes) };
  const named = [...manifest.files, ...months].map((file) => ({
    name: file.name,
    bytes: file.bytes,
    checksum: file.checksum,
  }));
  return { folderId: manifest.folderId, seq, madeMs, files: [own, ...named, ...segments] };
}

/** Reads a listed file and compares it with the list. Throws SnapshotDamage and DiskError. */
export function readListed(disk: Disk, folder: string, entry: BackupEntry): Uint8Array {
  try {
    // A log segment may have grown since.
    const length = entry.name.startsWith(logPrefix) ? entry.bytes : undefined;
    return expectListed(entry, disk.read(join(folder, entry.name), 0, length));
  } catch (error) {
    if (!(error instanceof DiskError) || error.code !== "ENOENT") throw error;
    throw new SnapshotDamage(entry.name, undefined, "the file is missing", error);
  }
}

/** Returns the bytes if they are those of the list. Throws SnapshotDamage, with the place if it can be found. */
export function expectListed(entry: BackupEntry, bytes: Uint8Array): Uint8Array {
  const { name } = entry;
  if (bytes.length !== entry.bytes)
    throw new SnapshotDamage(
      name,
      Math.min(bytes.length, entry.bytes),
      `it has ${bytes.length} bytes and not ${entry.bytes}, and differs`,
    );
  if (name.startsWith(logPrefix)) {
    if (checksum(bytes) !== entry.checksum) throw new SnapshotDamage(name, undefined, "wrong checksum");
    return bytes;
  }
  const foot = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 4).getUint32(0, true);
  if (fileChecksum(bytes) === entry.checksum && foot === entry.checksum) return bytes;
  decodeSections(bytes, name);
  throw new SnapshotDamage(name, undefined, "it is another file than the one that was listed");
}
