/** Removes files. Node's rmSync would do, but in Bun it says EFAULT where the system says EIO, EPERM or ENOTDIR. */
import { unlinkSync } from "node:fs";

/** Removes a file that may be missing. */
export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
  }
}
