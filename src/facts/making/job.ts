/** Makes the facts files for some chunks of a website from the files of a checkpoint, one chunk a step. */
import { assert } from "../../lib/assert.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { readEntry } from "../../snapshot/read-checkpoint.ts";
import { extendSite, loadSite } from "../../store/files/save.ts";
import { viewChunk } from "../../store/files/save-chunk.ts";
import type { Site } from "../../store/state/site.ts";
import { buildFacts } from "./build.ts";
import type { LookUps } from "../rollup.ts";
import { writeFacts } from "./file.ts";

export interface FactsJob {
  readonly folder: string;
  /** The files with the website's dictionaries and tuples, in their order. */
  readonly site: readonly FileEntry[];
  /** The files of sealed chunks. */
  readonly chunks: readonly FileEntry[];
  /** With less free space than this on the disk, the chunks that are left stay without facts. */
  readonly freeBytesMin: number;
}

/** The result for one chunk. */
export interface MadeFacts {
  readonly chunk: FileEntry;
  /** The reason why the facts could not be made; absent if they were. */
  readonly error?: string;
  /** Whether the disk refused something, which may be over at another time. */
  readonly isOfDisk?: boolean;
}

/**
 * Makes the facts of one chunk a step; the first step reads the dictionaries too. Ends before its time where the disk has
 * too little room. Throws what reading the dictionaries throws.
 */
export function* makeFacts(
  disk: Disk,
  { folder, site: files, chunks, freeBytesMin }: FactsJob,
  lookUps: LookUps,
): Generator<MadeFacts, void> {
  const site = readSite(disk, folder, files);
  for (const chunk of chunks) {
    try {
      if (disk.freeBytes(folder) < freeBytesMin) return;
      const own = viewChunk(readEntry(disk, folder, chunk));
      writeFacts(disk, folder, chunk, buildFacts(site, own, lookUps));
      yield { chunk };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      yield { chunk, error: text, isOfDisk: error instanceof DiskError };
    }
  }
}

/** Reads a website without its chunks. Throws SnapshotDamage, NewerFormat and DiskError. */
export function readSite(disk: Disk, folder: string, files: readonly FileEntry[]): Site {
  let site: Site | undefined;
  for (const file of files) {
    const sections = readEntry(disk, folder, file);
    if (site === undefined) site = loadSite(sections);
    else extendSite(site, sections);
  }
  assert(site !== undefined, "a website with chunks has dictionaries");
  return site;
}
