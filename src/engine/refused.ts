/** Explains why a folder cannot be served, for whoever starts on it or reads it: a thread for backups needs no engine. */
import { NewerFormat } from "../lib/decoding.ts";
import { DiskError } from "../lib/disk/disk.ts";
import { SnapshotDamage } from "../snapshot/section.ts";

const ofNode = "a node of a cluster starts with an empty folder instead";

export const advice = {
  folder: `restore a backup of the folder, or see what 'footfall repair' can keep; ${ofNode}`,
  ofNode,
  /** Names of files in a folder of backups are longer. */
  file:
    "put the same file back from a backup: in a folder of backups its name has a dot and a checksum at its end, which are " +
    "left out",
} as const;

/** The folder cannot be served; the message says which file, why, and what to do. */
export class FolderRefused extends Error {
  override name = "FolderRefused";
}

/** Another process has the folder. */
export class FolderInUse extends FolderRefused {
  override name = "FolderInUse";
}

/**
 * Refuses the start if `call` finds a damaged file of a checkpoint, one that a newer program wrote, or a directory in a file's
 * place. `what`: says of damage what to do.
 */
export function orRefused<T>(call: () => T, what: string): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof NewerFormat) throw new FolderRefused(error.message);
    if (error instanceof SnapshotDamage) throw new FolderRefused(`${error.message}: ${what}`);
    if (error instanceof DiskError && error.code === "EISDIR")
      throw new FolderRefused(`${error.message}: ${advice.folder}`);
    throw error;
  }
}
