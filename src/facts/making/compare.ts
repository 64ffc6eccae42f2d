/** Compares the facts file of a chunk with the facts that its rows give. */
import { join } from "node:path";
import { derivedNames } from "../../core/questions/stored-dimension.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import { factsName } from "../../snapshot/facts-name.ts";
import type { FileEntry } from "../../snapshot/manifest.ts";
import { json, type Sections } from "../../snapshot/named-sections.ts";
import { readEntry } from "../../snapshot/read-checkpoint.ts";
import { decodeSections, readInFile, SnapshotDamage, type Section } from "../../snapshot/section.ts";
import { viewChunk } from "../../store/files/save-chunk.ts";
import type { Site } from "../../store/state/site.ts";
import { buildFacts } from "./build.ts";
import { labelKinds } from "../grouped-visits.ts";
import type { LookUps } from "../rollup.ts";
import { factsHead, type FactsHead } from "./file.ts";
import { groupsName } from "./grouped-sections.ts";
import { checkName } from "./sections.ts";

/** The sections that say which channels and groups sums are by: their names are part of those of the sums. */
const lookedUp: readonly string[] = [
  ...derivedNames.map(checkName),
  ...labelKinds.flatMap((by) => [groupsName(by, "whole"), groupsName(by, "day")]),
];

/**
 * Throws SnapshotDamage if the file is there and differs from the facts of the rows, and DiskError. One of another
 * format is passed over: it is made again. So are sums by other channels or groups than those of now: a question has
 * them made again.
 */
export function compareFacts(
  disk: Disk,
  folder: string,
  site: Site,
  chunk: FileEntry,
  lookUps: LookUps,
): void {
  const name = factsName(chunk);
  const bytes = readIfThere(disk, join(folder, name));
  if (bytes === undefined) return;
  const sections = decodeSections(bytes, name);
  const all = buildFacts(site, viewChunk(readEntry(disk, folder, chunk)), lookUps);
  const head = readInFile(name, () => json(sections, "source") as FactsHead);
  const passedOver = lookedUp.filter((of) => {
    const own = all.find(({ name }) => name === of);
    return own === undefined ? sections.has(of) : !isSame(own, sections);
  });
  const isCompared = (part: string) => !passedOver.some((of) => part.includes(of));
  const made = all.filter((own) => isCompared(own.name));
  const expected = factsHead(chunk, made);
  if (head.format !== expected.format) return;
  const found = { ...head, sections: head.sections.filter(isCompared) };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new SnapshotDamage(
      name,
      0,
      `it says that it has the facts of ${found.chunk?.name}, or other sections`,
    );
  for (const own of made)
    if (!isSame(own, sections))
      throw new SnapshotDamage(name, undefined, `its section ${own.name} differs from the rows`);
}

function isSame({ name, data }: Section, sections: Sections): boolean {
  return Buffer.from(data.buffer, data.byteOffset, data.length).equals(sections.get(name) ?? Buffer.alloc(0));
}

function readIfThere(disk: Disk, path: string): Uint8Array | undefined {
  try {
    return disk.read(path);
  } catch (error) {
    if (error instanceof DiskError && error.code === "ENOENT") return undefined;
    throw error;
  }
}
