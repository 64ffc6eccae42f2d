/** Holds a data folder still for commands that copy or check it, beside a running server or without one. */
import { filesAtRest, type FilesOfMoment } from "../../engine/pinned-files.ts";
import { expectNoRepair, lockFolder, orRefused } from "../../engine/open.ts";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk.ts";
import { acquireReadLock } from "../../lib/lock.ts";
import { isManifest } from "../../snapshot/manifest.ts";
import { holdServer, serverListens } from "../socket.ts";

/**
 * Calls `use` while no file of this moment is changed or removed. Beside a server it gets these files; without one
 * undefined, and then no server starts until it is done. Throws Refusal, FolderInUse or DiskError.
 */
export async function whileStill<T>(
  folder: string,
  use: (files: FilesOfMoment | undefined) => Promise<T>,
): Promise<T> {
  if (await serverListens(folder)) {
    const { value, release } = await holdServer(folder, "pinFiles");
    try {
      return await use(value as FilesOfMoment);
    } finally {
      release();
    }
  }
  if (!systemDisk.list(folder).some(isManifest))
    throw new Refusal(404, `${folder} is no data folder: it has no checkpoint`);
  const lock = lockFolder(folder, acquireReadLock);
  try {
    expectNoRepair(systemDisk, folder);
    return await use(undefined);
  } finally {
    lock.release();
  }
}

/** Returns the files of a folder that nobody serves. Throws FolderRefused, LogDamage or DiskError. */
export function filesOf(folder: string): FilesOfMoment {
  return orRefused(() => filesAtRest(systemDisk, folder), "restore a backup of the folder");
}
