/**
 * Makes a checkpoint durable in an order that allows a crash at any point: first files and their directories, then the
 * manifest under a temporary name, then its final name. Only afterwards may anything older be removed.
 */
import { dirname, join } from "node:path";
import { DiskError, replaceFile, writeFile, type Disk } from "../lib/disk/disk.ts";
import { chunkOfFacts } from "./facts-name.ts";
import { encodeManifest, isManifest, manifestName, type FileEntry, type Manifest } from "./manifest.ts";
import { encodeSections, fileChecksum, type Section } from "./section.ts";

export interface NewFile {
  /** The path below the data folder, with "/". */
  readonly name: string;
  /** Read once, when the file is written. */
  readonly sections: readonly Section[];
  readonly mapped?: true;
}

/** A manifest, with the content of those files that are not on disk yet. */
export interface Checkpoint extends Omit<Manifest, "files"> {
  readonly files: readonly (FileEntry | NewFile)[];
}

/**
 * Writes a checkpoint and returns its manifest. Throws DiskError, and what reading `sections` throws; earlier
 * checkpoints are untouched then.
 */
export function writeCheckpoint(disk: Disk, folder: string, checkpoint: Checkpoint): Manifest {
  const directories = new Set([folder]);
  const files = checkpoint.files.map((file) => {
    if (!isNew(file)) return file;
    const path = join(folder, file.name);
    disk.makeDirectory(dirname(path));
    for (let below = dirname(file.name); below !== "."; below = dirname(below))
      directories.add(join(folder, below));
    const { sections, ...entry } = file;
    const data = encodeSections(sections);
    writeFile(disk, path, data);
    return { ...entry, bytes: data.length, checksum: fileChecksum(data) };
  });
  const manifest: Manifest = { ...checkpoint, files };
  for (const directory of directories) disk.syncDirectory(directory);
  const path = join(folder, manifestName(manifest.seq));
  replaceFile(disk, path, encodeManifest(manifest));
  disk.syncDirectory(folder);
  return manifest;
}

function isNew(file: FileEntry | NewFile): file is NewFile {
  return "sections" in file;
}

/**
 * Returns a file of a checkpoint in a folder without a manifest; undefined if there is none but the state that a crash
 * left of the first, empty checkpoint.
 */
export function orphanIn(disk: Disk, folder: string): string | undefined {
  const top = disk.list(folder);
  const state = top.find((name) => name.endsWith(".state") && Number.parseInt(name) > 0);
  const inside = () =>
    directoriesOf(disk, folder, top).flatMap((directory) =>
      disk.list(join(folder, directory)).map((name) => `${directory}/${name}`),
    );
  return state ?? inside()[0];
}

/**
 * Removes all files of checkpoints except those of the `kept` manifests. Files are removed after the manifests that
 * name them. `others`: files that the log after them names. Whatever takes a chunk's file off the disk takes its facts
 * along.
 */
export function removeOthers(
  disk: Disk,
  folder: string,
  kept: readonly Manifest[],
  others: readonly FileEntry[],
): void {
  const named = new Set([...kept.flatMap(({ files }) => files), ...others].map(({ name }) => name));
  const manifests = new Set(kept.map(({ seq }) => manifestName(seq)));
  const top = disk.list(folder);
  for (const name of top)
    if ((isManifest(name) && !manifests.has(name)) || name.endsWith(".manifest.new"))
      disk.remove(join(folder, name));
  disk.syncDirectory(folder);
  for (const name of top) if (name.endsWith(".state") && !named.has(name)) disk.remove(join(folder, name));
  for (const directory of directoriesOf(disk, folder, top)) {
    const stays = (name: string) => named.has(name) || named.has(chunkOfFacts(name) ?? "");
    const gone = disk.list(join(folder, directory)).filter((file) => !stays(`${directory}/${file}`));
    for (const file of gone) removeFile(disk, join(folder, directory, file));
    // There may be a thousand directories, and hardly any of them changes.
    if (gone.length > 0) disk.syncDirectory(join(folder, directory));
  }
}

/**
 * Removes a file. A directory that somebody made there does no harm, and is left alone, and so is what NFS keeps of a removed
 * file until nobody has it open.
 */
function removeFile(disk: Disk, path: string): void {
  try {
    disk.remove(path);
  } catch (error) {
    const isLeft = error instanceof DiskError && (error.code === "EBUSY" || isDirectory(disk, path));
    if (!isLeft) throw error;
  }
}

function isDirectory(disk: Disk, path: string): boolean {
  try {
    disk.list(path);
    return true;
  } catch (error) {
    if (error instanceof DiskError) return false;
    throw error;
  }
}

/** Lists the directories with files of checkpoints. `top`: the names in the folder itself. */
export function directoriesOf(disk: Disk, folder: string, top: readonly string[]): string[] {
  // A file that a file manager left beside the directories of websites is none of them.
  const websites = top.includes("chunks")
    ? disk.list(join(folder, "chunks")).filter((name) => /^\d+$/.test(name))
    : [];
  return [...(top.includes("beacons") ? ["beacons"] : []), ...websites.map((name) => `chunks/${name}`)];
}
