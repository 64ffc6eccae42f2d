/** The progress of a file: how far it was imported before. */
import type { Website } from "../../accounts/registry.ts";
import { Refusal } from "../../core/refusal.ts";
import type { ImportState } from "../control/control-entries.ts";
import type { ImportBatch } from "./batch.ts";

/** The most files of a website: each stays known for good, and every batch of an import copies the list of them. */
const filesMax = 10_000;
const digestOfNothing = new Bun.CryptoHasher("sha256").digest("hex");

/** Throws Refusal 400 for a new file of a website that has as many as it may. */
export function expectRoomForFile({ hostname, imports }: Website, file: string): void {
  if (imports.has(file) || imports.size < filesMax) return;
  throw new Refusal(
    400,
    `${hostname} has ${filesMax} imported files, which is the most: join several to one, and import that`,
  );
}

/**
 * Sets a file back to its start, as if nothing of it had been imported, and returns its state then. What was imported
 * stays: its owner has purged it.
 */
export async function setBack(
  state: ImportState,
  file: string,
  importBatch: (batch: ImportBatch) => Promise<null>,
): Promise<ImportState> {
  const { websiteId, position: fromPosition } = state;
  const start = { position: 0, digest: digestOfNothing, isPartial: false };
  if (fromPosition > 0) await importBatch({ websiteId, file, fromPosition, loads: [], ...start });
  return { ...state, ...start };
}

export function changed({ position }: Pick<ImportState, "position">): Refusal {
  return new Refusal(
    409,
    `the first line is that of a file imported before (${position} bytes), but the file is shorter or those ` +
      "bytes changed: nothing was imported",
  );
}
