/**
 * What makes a checkpoint: every file of it with length and checksum, and the record up to which it holds the
 * log. Immutable, named by that record's sequence number; visible only when everything that it names is durable.
 */
import { decodeSections, encodeSections, jsonSection, readJson, SnapshotDamage } from "./section.ts";

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

/** Throws SnapshotDamage. */
export function decodeManifest(bytes: Uint8Array, file: string): Manifest {
  const section = decodeSections(bytes, file).get("manifest");
  if (section === undefined) throw new SnapshotDamage(file, 0, "no manifest");
  return readJson(section) as Manifest;
}
