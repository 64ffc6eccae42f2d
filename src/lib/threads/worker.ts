/**
 * Finds a Worker's source. When run from source, every module has its own URL. In the executable all modules are one
 * file, and the entry points lie around it as they lie in `src`. So a Worker is named by its path in `src`, and the
 * build lists that file as an entry point beside `main.ts`.
 */
import fs from "node:fs";
import { diskCall } from "../disk/disk.ts";

/** The file descriptors that are free before a Worker starts: more than it opens. With too few, Bun ends the process. */
const descriptorsMin = 32;
const fromSource = import.meta.url.endsWith("/lib/threads/worker.ts");

/**
 * Starts a Worker. `path` is below `src`, such as `wal/worker.ts`. Throws DiskError EMFILE if the process has too many
 * files and connections open.
 */
export function startWorker(path: string): Worker {
  needDescriptors(path);
  return new Worker(new URL(fromSource ? `../../${path}` : path, import.meta.url));
}

function needDescriptors(path: string): void {
  const opened: number[] = [];
  try {
    for (let count = 0; count < descriptorsMin; count++)
      opened.push(diskCall("start", path, () => fs.openSync("/dev/null", "r")));
  } finally {
    for (const file of opened) fs.closeSync(file);
  }
}
