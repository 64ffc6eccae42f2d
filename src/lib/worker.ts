/**
 * Where a Worker's source is found. Run from source, every module has its own URL; in the executable all of
 * them are one file, and the entry points lie around it as they lie in `src`. So a Worker is named by its
 * path in `src`, and the build lists that file as an entry point beside `main.ts`.
 */
const fromSource = import.meta.url.endsWith("/lib/worker.ts");

/** `path` in `src`, such as `wal/worker.ts`. */
export function startWorker(path: string): Worker {
  return new Worker(new URL(fromSource ? `../${path}` : path, import.meta.url));
}
