/** The progress of a file: how far it was imported before. */
import { Refusal } from "../../core/refusal.ts";
import type { ImportBatch, ImportState } from "../control/control-entries.ts";

const digestOfNothing = new Bun.CryptoHasher("sha256").digest("hex");

/**
 * Sets a file back to its start, as if nothing of it had been imported, and returns its state then. What was imported
 * stays: its owner has purged it.
 */
export async function setBack(
  state: ImportState,
  file: string,
  importBatch: (batch: ImportBatch) => Promise<void>,
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
      "bytes changed: nothing was imported. To have this file in place of that one, purge the days of that one, and import " +
      "this one anew (--anew)",
  );
}
