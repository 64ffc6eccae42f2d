/**
 * The file that holds the facts of one chunk. It states which chunk they are of: the name, size and checksum of the
 * chunk's file. A file that states another one, or is damaged in any way, counts as missing. No manifest names the file
 * and nothing syncs it. Each section is compared with its checksum when it is first used.
 *
 *   file   := container of sections (snapshot/section.ts), with their contents (snapshot/contents.ts)
 *   source := JSON {format, chunk: {name, bytes, checksum}, sections: [name, …]}
 *   others := sections.ts
 */
import { join } from "node:path";
import type { Disk } from "../../lib/disk/disk.ts";
import { withContents } from "../../snapshot/contents.ts";
import { factsName } from "../../snapshot/facts-name.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { encodedPieces, jsonSection, type Section } from "../../snapshot/section.ts";
import { json, type Sections } from "../../snapshot/named-sections.ts";
import type { ChunkFacts } from "../facts.ts";
import { FactsView } from "./sections.ts";
import { OtherVersion, usable } from "./unusable.ts";

/** Rises with each change to the content or layout of a section. Files of another format are made again. */
const factsFormat = 9;

export interface FactsHead {
  readonly format: number;
  readonly chunk: FileEntry;
  /** The names of all other sections, so that a missing section is told from one that was never written. */
  readonly sections: readonly string[];
}

/**
 * Writes the facts of a chunk. Nothing is synced: a file that a power cut damages is found to be unusable. Throws
 * DiskError.
 */
export function writeFacts(disk: Disk, folder: string, chunk: FileEntry, sections: readonly Section[]): void {
  const source = factsHead(chunk, sections);
  const path = join(folder, factsName(chunk));
  const unfinished = `${path}.new`;
  disk.remove(unfinished);
  try {
    writePieces(disk, unfinished, withContents([jsonSection("source", source), ...sections]));
    disk.rename(unfinished, path);
  } catch (error) {
    // A full disk needs the space.
    disk.remove(unfinished);
    throw error;
  }
}

function writePieces(disk: Disk, path: string, sections: readonly Section[]): void {
  const file = disk.create(path);
  try {
    for (const piece of encodedPieces(sections)) disk.write(file, piece);
  } finally {
    disk.close(file);
  }
}

/** Returns what the file of a chunk says about itself. */
export function factsHead({ name, bytes, checksum }: FileEntry, sections: readonly Section[]): FactsHead {
  return {
    format: factsFormat,
    chunk: { name, bytes, checksum },
    sections: sections.map((section) => section.name),
  };
}

/**
 * Returns the facts in `sections`, which are read when they are asked for. Throws UnusableFacts if they are of another
 * chunk or format.
 */
export function factsIn(sections: Sections, chunk: FileEntry): ChunkFacts {
  const file = factsName(chunk);
  return usable(file, () => {
    const source = json(sections, "source") as FactsHead;
    if (source.format !== factsFormat)
      throw new OtherVersion(`found facts of format ${source.format}, expected ${factsFormat}`);
    const { name, bytes, checksum } = source.chunk;
    if (name !== chunk.name || bytes !== chunk.bytes || checksum !== chunk.checksum)
      throw new Error(`has the facts of ${name} (${checksum}) and not of ${chunk.name} (${chunk.checksum})`);
    return new FactsView(sections, new Set(source.sections), file);
  });
}
