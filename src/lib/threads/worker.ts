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

/** A Worker ended, and it is unknown how far it came. */
export class WorkerDied extends Error {
  override name = "WorkerDied";
}

/**
 * Starts a Worker. `path` is below `src`, such as `wal/worker.ts`. `onMessage` receives what it posts, and `onEnd`, once it
 * has ended, how: also where it was terminated. Throws DiskError EMFILE if the process has too many files and connections
 * open.
 */
export function startWorker<T>(
  path: string,
  onMessage: (message: T) => void,
  onEnd: (how: string) => void,
): Worker {
  needDescriptors(path);
  const worker = new Worker(new URL(fromSource ? `../../${path}` : path, import.meta.url));
  let how = "ended unexpectedly";
  worker.onmessage = ({ data }: MessageEvent<T>) => onMessage(data);
  worker.onerror = ({ message }) => (how = `failed: ${message}`);
  worker.addEventListener("close", () => onEnd(how));
  return worker;
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
