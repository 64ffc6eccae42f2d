/** Tells a disk without room from one that fails. */
import { DiskError } from "./disk.ts";

/** Whether the disk, or what its owner may use of it, has no room. */
export function isFull(error: unknown): boolean {
  return error instanceof DiskError && (error.code === "ENOSPC" || error.code === "EDQUOT");
}
