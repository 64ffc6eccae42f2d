/**
 * What makes a checkpoint: every file of it with length and checksum, and the record up to which it holds the
 * log. Immutable, named by that record's sequence number; visible only when everything that it names is durable.
 */
import { expectContent, NewerFormat } from "../lib/decoding.ts";
import { decodeSections, encodeSections, jsonSection, readInFile, readJson } from "./section.ts";

/**
 * Everything that the files of a checkpoint may have, by name: dimensions, columns of chunks and what else there is. A
 * program that does not know one of them would lose it.
 */
export type StoredNames = Readonly<Record<string, readonly string[]>>;

export interface FileEntry {
  /** Below the data folder, with "/". */
  readonly name: string;
  readonly bytes: number;
  /** As `fileChecksum` gives it. */
  readonly checksum: number;
  /** A start only measures it: it is read when it is first needed, and then mapped. */
  readonly mapped?: true;
}

export interface Manifest {
  /** The last record that the checkpoint holds; 0 for an empty log. */
  readonly seq: number;
  /** Of the data folder: 16 bytes as hex. Stands in every log segment as well. */
  readonly folderId: string;
  /** The features that the program that wrote it knows; undefined in format 1. */
  readonly names?: StoredNames;
  readonly files: readonly FileEntry[];
}

const suffix = ".manifest";

export function manifestName(seq: number): string {
  return `${numbered(seq)}${suffix}`;
}

/** A sequence number as it stands in file names: in sixteen digits, so that names sort as numbers do. */
export function numbered(seq: number): string {
  return String(seq).padStart(16, "0");
}

export function isManifest(name: string): boolean {
  return /^\d{16}\.manifest$/.test(name);
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return encodeSections([jsonSection("manifest", manifest)]);
}

/** Throws SnapshotDamage; NewerFormat where it is of a format or names something that `known` does not. */
export function decodeManifest(bytes: Uint8Array, file: string, known: StoredNames): Manifest {
  const sections = decodeSections(bytes, file);
  return readInFile(file, () => {
    const section = sections.get("manifest");
    expectContent(section !== undefined, "no manifest");
    const manifest = readJson(section) as Manifest;
    const { seq, folderId, names = {}, files } = manifest;
    expectKnown(names, known);
    expectContent(
      Number.isSafeInteger(seq) && seq >= 0,
      `seq: ${JSON.stringify(seq)}, not a sequence number`,
    );
    expectContent(
      /^[0-9a-f]{32}$/.test(folderId),
      `folderId: ${JSON.stringify(folderId)}, not 16 bytes as hex`,
    );
    expectContent(
      Array.isArray(files) && files.every(isEntry),
      "files: not a list of names, lengths and checksums",
    );
    return manifest;
  });
}

function isEntry({ name, bytes, checksum }: FileEntry): boolean {
  return typeof name === "string" && Number.isSafeInteger(bytes) && Number.isSafeInteger(checksum);
}

function expectKnown(names: StoredNames, known: StoredNames): void {
  for (const [group, found] of Object.entries(names))
    for (const name of found)
      if (!known[group]?.includes(name))
        throw new NewerFormat(`it has ${name} among its ${group}, this one does not`);
}
