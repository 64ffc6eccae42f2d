/** Runs as a macro, when the code is bundled or loaded: the dashboard becomes texts in the program. */
import { join } from "node:path";
import { embed, type Embedded } from "../core/embedded.ts";
import type { WebPage } from "./build.ts";
import { marksByName } from "./marks.ts";
import { worldOutlines as outlines } from "./outlines.ts";

export function webPage(): Embedded<WebPage> {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "build.ts")]);
  if (!success) throw new Error(`the dashboard was not built: ${stderr.toString()}`);
  return embed(JSON.parse(stdout.toString()) as WebPage);
}

/** Returns the outlines of the countries as JSON, in the form that the page's map asks for. */
export function worldOutlines(): Embedded<string> {
  return embed(JSON.stringify(outlines()));
}

/** Returns the flags and marks as JSON, by the names of rows. */
export function marks(): Embedded<string> {
  return embed(JSON.stringify(marksByName()));
}
