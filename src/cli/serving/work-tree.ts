/** Whether a folder lies where `git clean` deletes it. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Returns the top of the git work tree that an existing folder lies in; undefined if it lies in none. */
export function workTreeAround(folder: string): string | undefined {
  for (let path = wherever(folder); ; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return path;
    if (path === dirname(path)) return undefined;
  }
}

/** Follows links. A disk that fails or too many open files end no server that only greets. */
function wherever(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}
