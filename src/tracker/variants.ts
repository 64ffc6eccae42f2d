/** Runs as a macro, when the code is bundled or loaded: the tracker's variants become texts in the program. */
import { join } from "node:path";
import { embed, type Embedded } from "../core/embedded.ts";

/** Returns the minified script of every set of features, by `featuresName`. Exported for tests. */
export function trackerVariants(): Record<string, string> {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "build.ts")]);
  if (!success) throw new Error(`the tracker was not built: ${stderr.toString()}`);
  return JSON.parse(stdout.toString()) as Record<string, string>;
}

export function embeddedVariants(): Embedded<Record<string, string>> {
  return embed(trackerVariants());
}
