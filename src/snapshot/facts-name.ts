/**
 * The name of the file with the facts of a sealed chunk, which lies beside the chunk's own file. No manifest names it
 * and nothing syncs it, because it is made again if it is missing.
 */
import type { FileEntry } from "./manifest.ts";

const chunkSuffix = ".chunk";
const factsSuffix = ".facts";

/** Returns the path of the facts file below the data folder, where the name of the chunk's file is too. */
export function factsName({ name }: Pick<FileEntry, "name">): string {
  return name.slice(0, -chunkSuffix.length) + factsSuffix;
}

/**
 * Returns the name of the chunk's file; undefined if `name` is not that of a facts file, complete or still being
 * written.
 */
export function chunkOfFacts(name: string): string | undefined {
  const [, chunk] = /^(.*)\.facts(?:\.new)?$/.exec(name) ?? [];
  return chunk === undefined ? undefined : chunk + chunkSuffix;
}
