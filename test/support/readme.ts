import { join } from "node:path";

/** The README with its tables as one would type them: the formatter pads their cells. */
export async function readme(): Promise<string> {
  const text = await Bun.file(join(import.meta.dir, "..", "..", "README.md")).text();
  return tidied(text);
}

export function tidied(text: string): string {
  return text.replace(/ {2,}/g, " ").replace(/-{3,}/g, "---");
}
