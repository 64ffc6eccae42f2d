/** The progress of a file: how far it was imported before. */
import type { Website } from "../../accounts/registry.ts";
import { Refusal } from "../../core/refusal.ts";
import type { ImportState } from "../control/control-entries.ts";

/** The most files of a website: each stays known for good, and every batch of an import copies the list of them. */
const filesMax = 10_000;

/** Throws Refusal 400 for a new file of a website that has as many as it may. */
export function expectRoomForFile({ hostname, imports }: Website, file: string): void {
  if (imports.has(file) || imports.size < filesMax) return;
  throw new Refusal(
    400,
    `${hostname} has ${filesMax} imported files, which is the most: join several to one, and import that`,
  );
}

export function changed({ position }: Pick<ImportState, "position">): Refusal {
  return new Refusal(
    409,
    `the first line is that of a file imported before (${position} bytes), but the file is shorter or those ` +
      "bytes changed: nothing was imported",
  );
}
