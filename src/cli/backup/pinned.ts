/** The files of a data folder at one moment, for commands that copy or check them, beside a running server or without. */
import { filesAtRest, type FilesOfMoment } from "../../engine/pinned-files.ts";
import { lockFolder, orRefused } from "../../engine/open.ts";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk.ts";
import { acquireReadLock } from "../../lib/lock.ts";
import { holdServer, serverListens } from "../socket.ts";

/**
 * Calls `use` with the files of this moment, none of which is changed or removed until it is done. Throws Refusal,
 * FolderRefused, LogDamage or DiskError.
 */
export async function withPinned<T>(folder: string, use: (files: FilesOfMoment) => Promise<T>): Promise<T> {
  if (await serverListens(folder)) {
    const { value, release } = await holdServer(folder, "pinFiles");
    try {
      return await use(value as FilesOfMoment);
    } finally {
      release();
    }
  }
  const lock = lockFolder(folder, acquireReadLock);
  try {
    const files = orRefused(() => filesAtRest(systemDisk, folder), "restore a backup of the folder");
    if (files === undefined) throw new Refusal(404, `${folder} is no data folder: it has no checkpoint`);
    return await use(files);
  } finally {
    lock.release();
  }
}
