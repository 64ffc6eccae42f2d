/**
 * A checkpoint as the thread that takes hits hands it over: slow work on its files is left to the thread that writes
 * them.
 */
import { columnNames } from "../../core/questions/dimension.ts";
import type { RenumberPlan } from "../../facts/months/reduce-job.ts";
import type { Disk } from "../../lib/disk/disk.ts";
import type { FileEntry, Manifest } from "../../snapshot/manifest.ts";
import { readEntry } from "../../snapshot/read-checkpoint.ts";
import { encodedBytes, type Section } from "../../snapshot/section.ts";
import { writeCheckpoint, type Checkpoint, type NewFile } from "../../snapshot/write-checkpoint.ts";
import { saveRun } from "../../store/beacons/beacon-run.ts";
import { joinedChunk, type ChunkPlan } from "../../store/files/join-chunks.ts";
import { beaconColumns } from "../../store/files/save-beacons.ts";
import { sectionsOf } from "../../store/files/sent-columns.ts";
import { byName, type Sections } from "../../snapshot/named-sections.ts";

export interface PlannedFile {
  /** The path below the data folder, with "/". */
  readonly name: string;
  readonly mapped: true;
  readonly plan: ChunkPlan;
}

/** A run of beacons, which still have to be sorted. */
export interface PlannedRun {
  /** The path below the data folder, with "/". */
  readonly name: string;
  readonly mapped: true;
  /** The columns of the beacons. */
  readonly beacons: readonly Section[];
}

/** A month without rows, whose website has got other ids since its file was written. */
export interface PlannedMonth {
  /** The path below the data folder, with "/". */
  readonly name: string;
  readonly mapped: true;
  readonly renumber: RenumberPlan;
}

export type FreshFile = NewFile | PlannedFile | PlannedRun | PlannedMonth;

export interface PlannedCheckpoint extends Omit<Checkpoint, "files"> {
  readonly files: readonly (FileEntry | FreshFile)[];
}

export function isFresh(file: FileEntry | FreshFile): file is FreshFile {
  return !("checksum" in file);
}

/** Returns the sections that a file is written from, or made from. */
export function sectionsIn(file: FreshFile): readonly Section[] {
  if ("plan" in file) return file.plan.parts.flatMap(sectionsOf);
  if ("beacons" in file) return file.beacons;
  if ("renumber" in file) return [];
  return file.sections;
}

/** An id of 16 bits takes so many more in a column with ids of 32. */
const widerBytes = 2;

/** Returns how long a file becomes at most: its parts may contain data that they will share in it. */
export function bytesOf(file: FreshFile): number {
  if ("renumber" in file) return file.renumber.file.bytes;
  if (!("plan" in file)) return encodedBytes(sectionsIn(file));
  const { parts, head } = file.plan;
  // One part may have wide ids, and then all rows have. No other rewriting makes an id greater.
  const widerIds = parts.length > 1 ? columnNames.length * head.rows : 0;
  const bytesOfPart = (part: ChunkPlan["parts"][number]) =>
    (part.file?.bytes ?? 0) + encodedBytes(sectionsOf(part));
  return parts.reduce((sum, part) => sum + bytesOfPart(part), widerBytes * widerIds);
}

/** The most bytes that a manifest takes for the name, length and checksum of a file. */
const entryBytesMax = 128;

/** Returns the most bytes that a manifest takes, but for what it says besides its files. */
export function manifestBytes(files: number): number {
  return entryBytesMax * files;
}

/** Returns how many bytes of files have to be written at most. */
export function bytesToWrite({ files }: PlannedCheckpoint): number {
  return files.filter(isFresh).reduce((sum, file) => sum + bytesOf(file), manifestBytes(files.length));
}

/** Memory of files that were read is given back after so many bytes: to collect it costs some milliseconds. */
const unfreedBytesMax = 16 * 1024 * 1024;

/**
 * Writes a checkpoint and returns its manifest. `renumbered` returns the sections of a month whose ids changed: only a
 * checkpoint that has one needs it, and it takes as many modules as all the rest. Throws DiskError and SnapshotDamage;
 * earlier checkpoints are untouched then.
 */
export function writePlanned(
  disk: Disk,
  folder: string,
  checkpoint: PlannedCheckpoint,
  renumbered?: (plan: RenumberPlan, sections: Sections) => Section[],
): Manifest {
  let unfreedBytes = 0;
  const read = (entry: FileEntry) => {
    unfreedBytes += entry.bytes;
    return readEntry(disk, folder, entry);
  };
  const files = checkpoint.files.map((file): FileEntry | NewFile => {
    if (!isFresh(file) || "sections" in file) return file;
    const { name, mapped } = file;
    return {
      name,
      mapped,
      // The sections of all files together may be more than the memory, and the runtime does not count files that were read.
      get sections() {
        if (unfreedBytes > unfreedBytesMax) {
          Bun.gc(true);
          unfreedBytes = 0;
        }
        if ("beacons" in file) return saveRun(beaconColumns(byName(file.beacons)));
        if ("renumber" in file) return renumbered!(file.renumber, read(file.renumber.file));
        return joinedChunk(file.plan, read);
      },
    };
  });
  return writeCheckpoint(disk, folder, { ...checkpoint, files });
}
