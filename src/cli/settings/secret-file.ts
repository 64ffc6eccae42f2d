/** Reads the files that settings name: secrets are in files, which other users of the machine cannot see as they see flags. */
import { readFileSync } from "node:fs";
import { shown } from "../../core/refusal.ts";
import { refused } from "./values.ts";

/** Returns the text of a file without the line feed at its end. Throws Refusal naming the variable. */
export function readSecretFile(path: string, variable: string): string {
  return readTextFile(path, variable).replace(/\r?\n$/, "");
}

/** Returns all of its text. Throws Refusal naming the variable. */
export function readTextFile(path: string, variable: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw refused(`${variable}: cannot read ${shown(path)} (${code})`);
  }
}
