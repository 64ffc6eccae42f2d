/**
 * Makes a checkpoint durable, in the one order that lets a crash fall anywhere: files and their directories,
 * then the manifest under another name, then its own name; only afterwards may anything older be removed.
 */
import { dirname, join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import { removeOtherAggregates } from "./aggregates.ts";
import { encodeManifest, isManifest, manifestName, type FileEntry, type Manifest } from "./manifest.ts";
import { encodeSections, fileChecksum, type Section } from "./section.ts";

export interface NewFile {
  /** Below the data folder, with "/". */
  readonly name: string;
  /** Asked for once, when the file is written. */
  readonly sections: readonly Section[];
  readonly mapped?: true;
}

/** As a manifest, with the content of those files that are not on disk yet. */
export interface Checkpoint extends Omit<Manifest, "files"> {
  readonly files: readonly (FileEntry | NewFile)[];
}

/** Returns the manifest. Throws DiskError, and what asking for sections throws; the checkpoints before it are untouched then. */
export function writeCheckpoint(disk: Disk, folder: string, checkpoint: Checkpoint): Manifest {
  const directories = new Set([folder]);
  const files = checkpoint.files.map((file) => {
    if (!isNew(file)) return file;
    const path = join(folder, file.name);
    disk.makeDirectory(dirname(path));
    for (let directory = dirname(path); directory !== folder; directory = dirname(directory))
      directories.add(directory);
    const { sections, ...entry } = file;
    const data = encodeSections(sections);
    writeFile(disk, path, data);
    return { ...entry, bytes: data.length, checksum: fileChecksum(data) };
  });
  const manifest: Manifest = { ...checkpoint, files };
  for (const directory of directories) disk.syncDirectory(directory);
  const path = join(folder, manifestName(manifest.seq));
  writeFile(disk, `${path}.new`, encodeManifest(manifest));
  disk.rename(`${path}.new`, path);
  disk.syncDirectory(folder);
  return manifest;
}

function isNew(file: FileEntry | NewFile): file is NewFile {
  return "sections" in file;
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
  for (const directory of directoriesOf(disk, folder, top)) {
    const others = disk.list(join(folder, directory)).filter((file) => !named.has(`${directory}/${file}`));
    for (const file of others) disk.remove(join(folder, directory, file));
    // There may be a thousand, and hardly one of them changes.
    if (others.length > 0) disk.syncDirectory(join(folder, directory));
  }
  removeOtherAggregates(disk, folder, kept);
}

/** Where checkpoints have files besides the folder itself; `top` is what that has. */
function directoriesOf(disk: Disk, folder: string, top: readonly string[]): string[] {
  const websites = top.includes("chunks") ? disk.list(join(folder, "chunks")) : [];
  return [...(top.includes("beacons") ? ["beacons"] : []), ...websites.map((name) => `chunks/${name}`)];
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
