/** Reads secrets from files, which other users of the machine cannot see as they see flags. */
import { readFileSync } from "node:fs";
import { shown } from "../../core/refusal.ts";
import { refused } from "./values.ts";

/** Returns the text of a file without the line feed at its end. Throws Refusal naming the variable. */
export function readSecretFile(path: string, variable: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(`${variable}: cannot read ${shown(path)} (${code})`);
  }
}
