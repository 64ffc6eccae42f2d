/** Runs as a macro, when the code is bundled or loaded: the files of a page become texts of the program. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of a file of this folder. */
export function textFile(name: string): string {
  return readFileSync(join(import.meta.dir, name), "utf8");
}
