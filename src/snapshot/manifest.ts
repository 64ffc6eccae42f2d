/**
 * The manifest of a checkpoint: each of its files with length and checksum, and the last record of the log that it
 * includes. It is immutable, named by that record's sequence number, and visible only when everything that it names is
 * durable.
 */
import { expectContent, NewerFormat } from "../lib/decoding.ts";
import type { StreamPosition } from "../wal/log-store.ts";
import { decodeSections, encodeSections, jsonSection, readInFile, readJson } from "./section.ts";

/**
 * The names of everything that the files of a checkpoint may contain: dimensions, columns of chunks and the rest. A
 * program that does not know one of them would lose its data.
 */
export type StoredNames = Readonly<Record<string, readonly string[]>>;

export interface FileEntry {
  /** The path below the data folder, with "/". */
  readonly name: string;
  readonly bytes: number;
  /** The checksum that `fileChecksum` returns. */
  readonly checksum: number;
  /** Whether a start only compares it (read-checkpoint.ts): the file is read when it is first needed, and then mapped. */
  readonly mapped?: true;
}

/** Websites of which a checkpoint has nothing, because files of theirs were damaged. Their records wait in the log. */
export interface Unavailable {
  /** The sequence number of the last checkpoint that has them: it and all of the log after it are kept. */
  readonly since: number;
  /** Each with about how many bytes of the log wait. */
  readonly websites: readonly (readonly [websiteId: number, bytes: number])[];
  /** The files of months without rows that the log between the two checkpoints names. */
  readonly months?: readonly FileEntry[];
}

/** The place in the log of a cluster after which a checkpoint of one of its nodes goes on. */
export interface StreamPlace extends StreamPosition {
  /** Names the stream, as 16 bytes in hex: one that is made anew is another. */
  readonly incarnation: string;
}

export interface Manifest {
  /** The last record that the checkpoint includes; 0 for an empty log. */
  readonly seq: number;
  /** The id of the data folder: 16 bytes as hex. Every log segment contains it as well. */
  readonly folderId: string;
  /** The names that the program that wrote it knew; undefined in format 1. */
  readonly names?: StoredNames;
  readonly unavailable?: Unavailable;
  /** The folder is a copy of what a stream has; undefined where the log is in the folder. */
  readonly stream?: StreamPlace;
  readonly files: readonly FileEntry[];
}

const suffix = ".manifest";

export function manifestName(seq: number): string {
  return `${numbered(seq)}${suffix}`;
}

/** Returns a sequence number as it is written in file names: with sixteen digits, so that names sort as numbers do. */
export function numbered(seq: number): string {
  return String(seq).padStart(16, "0");
}

export function isManifest(name: string): boolean {
  return /^\d{16}\.manifest$/.test(name);
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return encodeSections([jsonSection("manifest", manifest)]);
}

/**
 * Decodes the manifest in `file`. Throws SnapshotDamage, also if it is that of another checkpoint, and NewerFormat if it has
 * a newer format or names something that is not in `known`.
 */
export function decodeManifest(bytes: Uint8Array, file: string, known: StoredNames): Manifest {
  const sections = decodeSections(bytes, file);
  return readInFile(file, () => {
    const section = sections.get("manifest");
    expectContent(section !== undefined, "no manifest");
    const manifest = readJson(section) as Manifest;
    const { seq, folderId, names = {}, unavailable, stream, files } = manifest;
    expectKnown(names, known);
    expectContent(
      Number.isSafeInteger(seq) && seq >= 0,
      `seq: ${JSON.stringify(seq)}, not a sequence number`,
    );
    expectContent(manifestName(seq) === file, `seq: ${seq}, so its name should be ${manifestName(seq)}`);
    expectContent(
      /^[0-9a-f]{32}$/.test(folderId),
      `folderId: ${JSON.stringify(folderId)}, not 16 bytes as hex`,
    );
    expectContent(
      unavailable === undefined || isUnavailable(unavailable),
      `unavailable: ${JSON.stringify(unavailable)}, not a sequence number, websites and files`,
    );
    expectContent(
      stream === undefined || isPlace(stream, seq),
      `stream: ${JSON.stringify(stream)}, not a place after record ${seq}`,
    );
    expectContent(
      Array.isArray(files) && files.every(isEntry),
      "files: not a list of names, lengths and checksums",
    );
    return manifest;
  });
}

/** Returns whether a manifest may name such a file; no such name leads out of the folder. */
export function isFileOfCheckpoint(name: string): boolean {
  return /^(\d{16}\.state|(chunks\/\d+|beacons)\/[\w.-]+)$/.test(name) && !name.includes("..");
}

function isEntry({ name, bytes, checksum }: FileEntry): boolean {
  return isFileOfCheckpoint(name) && Number.isSafeInteger(bytes) && Number.isSafeInteger(checksum);
}

function isPlace({ incarnation, message, nextSeq, checksum, epoch }: StreamPlace, seq: number): boolean {
  const areNumbers = [message, checksum, epoch].every(Number.isSafeInteger);
  return /^[0-9a-f]{32}$/.test(incarnation) && nextSeq === seq + 1 && areNumbers;
}

function isUnavailable({ since, websites, months = [] }: Unavailable): boolean {
  const areNumbers = (pair: readonly number[]) => pair.length === 2 && pair.every(Number.isSafeInteger);
  const areWebsites = Array.isArray(websites) && websites.every(areNumbers);
  return Number.isSafeInteger(since) && areWebsites && Array.isArray(months) && months.every(isEntry);
}

function expectKnown(names: StoredNames, known: StoredNames): void {
  for (const [group, found] of Object.entries(names))
    for (const name of found)
      if (!known[group]?.includes(name))
        throw new NewerFormat(`it has ${name} among its ${group}, this one does not`);
}
