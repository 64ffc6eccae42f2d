/** Whether a folder lies where `git clean` deletes it. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns the top of the git work tree that an existing folder lies in; undefined if it lies in none. */
export function workTreeAround(folder: string): string | undefined {
  for (let path = realpathSync(folder); ; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return path;
    if (path === dirname(path)) return undefined;
  }
}
