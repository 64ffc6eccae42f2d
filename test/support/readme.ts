import { join } from "node:path";

/** The README with its tables as one would type them: the formatter pads their cells. */
export function readme(): Promise<string> {
  return tidyPage("README.md");
}

/** A page of the project, by its path, in the same form. */
export async function tidyPage(path: string): Promise<string> {
  return tidied(await Bun.file(join(import.meta.dir, "..", "..", path)).text());
}

export function tidied(text: string): string {
  return text.replace(/ {2,}/g, " ").replace(/-{3,}/g, "---");
}
