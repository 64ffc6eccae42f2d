/** How many bytes the next checkpoint writes again of what the last one has: the state, the manifest, and open chunks. */
import type { FileEntry } from "../../snapshot/manifest.ts";
import { manifestBytes } from "../files/planned-checkpoint.ts";
import { isIncrement } from "./checkpoint-names.ts";

/**
 * `files`: those of the last checkpoint. `openBytes`: of its chunks that take rows and are mapped. Dictionaries are not
 * counted.
 */
export function bytesWrittenAgain(files: readonly FileEntry[], openBytes: number): number {
  const read = files.filter(({ name, mapped }) => !mapped && !isIncrement(name));
  return read.reduce((sum, { bytes }) => sum + bytes, openBytes + manifestBytes(files.length));
}
