/** Compares the facts file of a chunk with the facts that its rows give. */
import { join } from "node:path";
import { DiskError, type Disk } from "../lib/disk/disk.ts";
import { factsName } from "../snapshot/facts-name.ts";
import type { FileEntry } from "../snapshot/manifest.ts";
import { json } from "../snapshot/named-sections.ts";
import { readEntry } from "../snapshot/read-checkpoint.ts";
import { decodeSections, readInFile, SnapshotDamage, type Section } from "../snapshot/section.ts";
import { viewChunk } from "../store/files/save-chunk.ts";
import type { Site } from "../store/state/site.ts";
import { buildFacts } from "./build.ts";
import { factsHead, type FactsHead } from "./file.ts";

/**
 * Throws SnapshotDamage if the file is there and differs from the facts of the rows, and DiskError. One of another
 * format is passed over: it is made again.
 */
export function compareFacts(disk: Disk, folder: string, site: Site, chunk: FileEntry): void {
  const name = factsName(chunk);
  const bytes = readIfThere(disk, join(folder, name));
  if (bytes === undefined) return;
  const sections = decodeSections(bytes, name);
  const made = buildFacts(site, viewChunk(readEntry(disk, folder, chunk)));
  const expected = factsHead(chunk, made);
  const found = readInFile(name, () => json(sections, "source") as FactsHead);
  if (found.format !== expected.format) return;
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new SnapshotDamage(
      name,
      0,
      `it says that it has the facts of ${found.chunk?.name}, or other sections`,
    );
  for (const { name: part, data } of made as readonly Section[])
    if (!Buffer.from(data.buffer, data.byteOffset, data.length).equals(sections.get(part) ?? Buffer.alloc(0)))
      throw new SnapshotDamage(name, undefined, `its section ${part} differs from the rows`);
}

function readIfThere(disk: Disk, path: string): Uint8Array | undefined {
  try {
    return disk.read(path);
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT") return undefined;
    throw error;
  }
}
