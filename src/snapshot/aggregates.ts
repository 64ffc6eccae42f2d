/**
 * Where aggregates of sealed chunks are kept: `aggregates/<website>/`, a file for each chunk and for each month that is
 * over. No checkpoint names them, for they are made again when they are missing. A name tells of which bytes a file was
 * made, so that it never speaks for others.
 */
import { basename, join } from "node:path";
import type { Disk } from "../lib/disk.ts";
import type { FileEntry, Manifest } from "./manifest.ts";

const top = "aggregates";
/** Another number for each change of what a section holds or how: files with others are made again. */
const format = 2;
/** `YYYY-MM`. */
const monthCharacters = 7;

export function aggregatesDirectory(websiteId: number): string {
  return `${top}/${websiteId}`;
}

/** `<month>-<number>.<record>.<checksum>-<format>.rollups`, of the chunk's file. */
export function chunkAggregatesName({ name, checksum }: FileEntry): string {
  return `${basename(name, ".chunk")}.${checksum.toString(16)}-${format}.rollups`;
}

/** `<month>.<hash>.month`, of the names of its chunks' aggregates. */
export function monthAggregatesName(names: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(names.join()).digest("hex").slice(0, 16);
  return `${(names[0] as string).slice(0, monthCharacters)}.${hash}.month`;
}

/** Removes those of chunks and months of which no manifest has anything. */
export function removeOtherAggregates(disk: Disk, folder: string, kept: readonly Manifest[]): void {
  if (!disk.list(folder).includes(top)) return;
  const files = kept.flatMap((manifest) => manifest.files).filter(({ name }) => name.endsWith(".chunk"));
  const chunks = new Set(files.map(({ name }) => name.slice("chunks/".length, -".chunk".length)));
  const months = new Set(
    [...chunks].map((chunk) => chunk.slice(0, chunk.indexOf("/") + 1 + monthCharacters)),
  );
  for (const website of disk.list(join(folder, top))) {
    const directory = join(folder, top, website);
    const others = disk.list(directory).filter((name) => {
      const [head = "", record = ""] = name.split(".");
      return head.length > monthCharacters
        ? !chunks.has(`${website}/${head}.${record}`)
        : !months.has(`${website}/${head}`);
    });
    for (const name of others) disk.remove(join(directory, name));
    if (others.length > 0) disk.syncDirectory(directory);
  }
}
