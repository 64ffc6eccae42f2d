/**
 * Makes a checkpoint durable, in the one order that lets a crash fall anywhere: files and their directories,
 * then the manifest under another name, then its own name; only afterwards may anything older be removed.
 */
import { dirname, join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { encodeManifest, isManifest, manifestName, type Manifest } from "./manifest.ts";

export interface NewFile {
  readonly name: string;
  readonly data: Uint8Array;
}

export interface Checkpoint {
  readonly manifest: Manifest;
  /** Those of the manifest's files that are not on disk yet. */
  readonly files: readonly NewFile[];
}

/** Throws DiskError; the checkpoints before it are untouched then. */
export function writeCheckpoint(disk: Disk, folder: string, { manifest, files }: Checkpoint): void {
  const directories = new Set([folder]);
  for (const { name, data } of files) {
    const path = join(folder, name);
    disk.makeDirectory(dirname(path));
    for (let directory = dirname(path); directory !== folder; directory = dirname(directory))
      directories.add(directory);
    writeFile(disk, path, data);
  }
  for (const directory of directories) disk.syncDirectory(directory);
  const path = join(folder, manifestName(manifest.seq));
  writeFile(disk, `${path}.new`, encodeManifest(manifest));
  disk.rename(`${path}.new`, path);
  disk.syncDirectory(folder);
}

/**
 * Removes all files of checkpoints but those of the `kept` manifests. Files that go are unlinked after the
 * manifests that name them.
 */
export function removeOthers(disk: Disk, folder: string, kept: readonly Manifest[]): void {
  const named = new Set(kept.flatMap(({ files }) => files.map(({ name }) => name)));
  const manifests = new Set(kept.map(({ seq }) => manifestName(seq)));
  const top = disk.list(folder);
  for (const name of top)
    if ((isManifest(name) && !manifests.has(name)) || name.endsWith(".manifest.new"))
      disk.remove(join(folder, name));
  disk.syncDirectory(folder);
  for (const name of top) if (name.endsWith(".state") && !named.has(name)) disk.remove(join(folder, name));
  for (const website of directoriesOf(disk, folder)) {
    for (const file of disk.list(join(folder, website)))
      if (!named.has(`${website}/${file}`)) disk.remove(join(folder, website, file));
    disk.syncDirectory(join(folder, website));
  }
}

function directoriesOf(disk: Disk, folder: string): string[] {
  if (!disk.list(folder).includes("chunks")) return [];
  return disk.list(join(folder, "chunks")).map((name) => `chunks/${name}`);
}

function writeFile(disk: Disk, path: string, data: Uint8Array): void {
  disk.remove(path);
  const file = disk.create(path);
  try {
    disk.write(file, data);
    disk.sync(file);
  } finally {
    disk.close(file);
  }
}
