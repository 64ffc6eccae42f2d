/**
 * The name of the file with the facts of a sealed chunk: it lies beside the chunk's own file. No manifest names it and
 * nothing syncs it, for it is made again when it is missing.
 */
import type { FileEntry } from "./manifest.ts";

const chunkSuffix = ".chunk";
const factsSuffix = ".facts";

/** Below the data folder, as the name of the chunk's file is. */
export function factsName({ name }: Pick<FileEntry, "name">): string {
  return name.slice(0, -chunkSuffix.length) + factsSuffix;
}

/** The name of the chunk's file; undefined where `name` is not one of a file of facts, whole or being written. */
export function chunkOfFacts(name: string): string | undefined {
  const [, chunk] = /^(.*)\.facts(?:\.new)?$/.exec(name) ?? [];
  return chunk === undefined ? undefined : chunk + chunkSuffix;
}
