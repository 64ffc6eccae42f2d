/**
 * The executable of this checkout, for tests. `npm test` builds it once for all its processes, in the folder of the
 * run; otherwise each file that uses it builds its own.
 */
import { afterAll } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "../../bench/idle.ts";
import { runFolderVariable } from "./run-folder.ts";

/** Its path. A file calls this where it begins, and not within a test: what is its own goes at its end. */
export function useExecutable(): string {
  const shared = process.env[runFolderVariable];
  if (shared !== undefined) return builtOnce(shared);
  const folder = mkdtempSync(join(tmpdir(), "footfall-executable-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return build(join(folder, "footfall"));
}

/** Builds it in the process that makes the lock; the others wait, and try themselves if that failed. */
function builtOnce(folder: string): string {
  const [executable, lock] = [join(folder, "footfall"), join(folder, "building")];
  for (; !existsSync(executable); Bun.sleepSync(20)) {
    if (!isFree(lock)) continue;
    try {
      // The executable has its own name in it.
      if (!existsSync(executable)) renameSync(build(join(lock, "footfall")), executable);
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
  return executable;
}

/** Makes it if it is not there. */
function isFree(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}
