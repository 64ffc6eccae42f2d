/**
 * Finds the newest checkpoint whose files are what its manifest says, and returns their sections. Files that are mapped
 * later are only compared: those that the first hit reads whole by their checksums, because a hit that is logged must be
 * applied; the others by their lengths, and their damage is found at their first use (see mapped-files.ts). A checkpoint
 * is partial if it was made while websites were unavailable, or lacks files that a start may do without: it is taken only
 * where none is whole.
 */
import { join } from "node:path";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import {
  decodeManifest,
  isManifest,
  manifestName,
  type FileEntry,
  type Manifest,
  type StoredNames,
} from "./manifest.ts";
import { json, type Sections } from "./named-sections.ts";
import { damageOnDisk } from "./section-use.ts";
import { checkHeader, fileChecksum, locateSections, readInFile, SnapshotDamage } from "./section.ts";

export interface LoadedCheckpoint {
  readonly manifest: Manifest;
  /** By name, in the order of the manifest; without the files that are mapped. */
  readonly files: ReadonlyMap<string, Sections>;
  /** The damage of the files that a start may do without. */
  readonly damages: readonly SnapshotDamage[];
}

export interface FoundCheckpoint {
  /** Undefined if the folder has no manifest at all. */
  readonly checkpoint: LoadedCheckpoint | undefined;
  /** The manifest before it, as a fallback in case this one is damaged one day. */
  readonly previous: Manifest | undefined;
  /** The faults of newer checkpoints that were skipped; if the one that is used is partial, those of all of them. */
  readonly damaged: readonly SnapshotDamage[];
  /** The newest checkpoint that is partial, if an older one is whole. */
  readonly partial: Manifest | undefined;
  /** The last record that one of those has which were skipped, as far as that is known: the log has to reach it. */
  readonly skippedSeq: number;
}

/** Returns whether a start may do without a file. */
type MayLack = (entry: FileEntry) => boolean;

/** The names of files that are mapped later and are not there yet. */
type Awaited = { has(name: string): boolean };
const none: Awaited = new Set<string>();

/**
 * Reads the newest good checkpoint. `known`: the names that this program knows. `mayLack`: without it a partial
 * checkpoint is not good. `awaited`: files that are not looked for. Throws SnapshotDamage if there are manifests and
 * none can be used. Throws NewerFormat if a newer program wrote any of them: an older checkpoint beside it lacks what
 * was done since.
 */
export function readNewest(
  disk: Disk,
  folder: string,
  known: StoredNames,
  mayLack?: MayLack,
  awaited = none,
): FoundCheckpoint {
  const names = disk.list(folder).filter(isManifest).toReversed();
  const damaged: SnapshotDamage[] = [];
  let partial: LoadedCheckpoint | undefined;
  let skippedSeq = 0;
  const found = (checkpoint: LoadedCheckpoint): FoundCheckpoint => {
    const name = manifestName(checkpoint.manifest.seq);
    const older = names.filter((other) => other < name);
    const [previous] = older.map((other) => olderManifest(disk, folder, other, known));
    return { checkpoint, previous, damaged, partial: partial?.manifest, skippedSeq };
  };
  for (const name of names) {
    try {
      const checkpoint = readCheckpoint(disk, folder, name, known, mayLack, awaited);
      const { damages, manifest } = checkpoint;
      if (damages.length === 0 && manifest.unavailable === undefined) return found(checkpoint);
      damaged.push(...damages);
      partial ??= checkpoint;
    } catch (error) {
      damaged.push(damageIn(name, error));
      // A manifest that can be read, and is damaged, may stand under another's name.
      const isNamed = error instanceof DiskError || olderManifest(disk, folder, name, known) !== undefined;
      if (isNamed) skippedSeq = Math.max(skippedSeq, Number.parseInt(name, 10));
    }
  }
  if (partial !== undefined && mayLack !== undefined) return found(partial);
  if (partial !== undefined && damaged.length === 0) damaged.push(lacking(partial.manifest));
  if (damaged.length > 0) throw damaged[0]!;
  return { checkpoint: undefined, previous: undefined, damaged, partial: undefined, skippedSeq };
}

function lacking({ seq, unavailable }: Manifest): SnapshotDamage {
  const file = manifestName(unavailable?.since ?? 0);
  return new SnapshotDamage(file, undefined, `missing, though ${manifestName(seq)} needs it`);
}

/** Returns undefined for a damaged one. Throws NewerFormat: a start removes older manifests. */
function olderManifest(disk: Disk, folder: string, name: string, known: StoredNames): Manifest | undefined {
  try {
    return decodeManifest(disk.read(join(folder, name)), name, known);
  } catch (error) {
    damageIn(name, error);
    return undefined;
  }
}

/** Returns why a checkpoint cannot be used, also where a sector of it cannot be read. Throws any other error. */
function damageIn(manifest: string, error: unknown): SnapshotDamage {
  if (error instanceof SnapshotDamage) return error;
  if (error instanceof DiskError && error.code === "EIO")
    return new SnapshotDamage(manifest, undefined, error.message);
  throw error;
}

/**
 * Reads the checkpoint of that manifest. `known`: the names that this program knows. Damage of a file that `mayLack` names
 * is returned. Throws SnapshotDamage, NewerFormat and DiskError.
 */
export function readCheckpoint(
  disk: Disk,
  folder: string,
  name: string,
  known: StoredNames,
  mayLack: MayLack = () => false,
  awaited = none,
): LoadedCheckpoint {
  const manifest = decodeManifest(disk.read(join(folder, name)), name, known);
  const files = new Map<string, Sections>();
  const damages: SnapshotDamage[] = [];
  const each = (entries: readonly FileEntry[], look: (path: string, entry: FileEntry) => void) => {
    for (const entry of entries) {
      try {
        // There may be ten thousand files: `join` would take as long as the disk.
        look(`${folder}/${entry.name}`, entry);
      } catch (error) {
        if (!(error instanceof SnapshotDamage) || !mayLack(entry)) throw error;
        damages.push(error);
      }
    }
  };
  const read = manifest.files.filter(({ mapped }) => !mapped);
  each(read, (path, entry) => files.set(entry.name, readWhole(disk, path, entry, name)));
  // The state says which of the others the first hit reads.
  const isNeeded = neededByHits(files);
  const later = manifest.files.filter((entry) => entry.mapped && !awaited.has(entry.name));
  each(later, (path, entry) => (isNeeded(entry) ? compare : measure)(disk, path, entry, name));
  return { manifest, files, damages };
}

/**
 * Returns the sections of a file that a manifest names, below the data folder. Throws SnapshotDamage, NewerFormat and
 * DiskError.
 */
export function readEntry(disk: Disk, folder: string, entry: FileEntry): ReadonlyMap<string, Uint8Array> {
  return readWhole(disk, join(folder, entry.name), entry, "its manifest");
}

function readWhole(disk: Disk, path: string, entry: FileEntry, manifest: string) {
  const bytes = named(entry.name, manifest, () => disk.read(path));
  if (bytes.length !== entry.bytes || fileChecksum(bytes) !== entry.checksum)
    throw new SnapshotDamage(entry.name, undefined, `its checksum differs from that in ${manifest}`);
  checkHeader(bytes, entry.name);
  return locateSections(bytes);
}

/**
 * Returns whether the first hit reads a mapped file: of beacons, or of a chunk that still changes, which the state names.
 * `files`: those that are not mapped.
 */
function neededByHits(files: LoadedCheckpoint["files"]): (entry: FileEntry) => boolean {
  const [name, state] = files.entries().find(([file]) => file.endsWith(".state")) ?? [];
  const open = new Set(
    name && state?.has("open") ? readInFile(name, () => Object.keys(json(state, "open") as object)) : [],
  );
  return (entry) => open.has(entry.name) || /\.(changes|beacons)$/.test(entry.name);
}

/** The file is not kept in memory. */
function compare(disk: Disk, path: string, entry: FileEntry, manifest: string): void {
  measure(disk, path, entry, manifest);
  const damage = damageOnDisk(disk, path, entry.bytes, entry);
  if (damage !== undefined) throw damage;
}

function measure(disk: Disk, path: string, entry: FileEntry, manifest: string): void {
  const bytes = named(entry.name, manifest, () => disk.size(path));
  if (bytes !== entry.bytes)
    throw new SnapshotDamage(
      entry.name,
      Math.min(bytes, entry.bytes),
      `its length differs from that in ${manifest}`,
    );
}

/** Calls the disk for a file that the manifest names; a missing file becomes SnapshotDamage. */
function named<T>(file: string, manifest: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT")
      throw new SnapshotDamage(file, undefined, `missing, though ${manifest} lists it`);
    throw error;
  }
}
