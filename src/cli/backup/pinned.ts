/** Holds a data folder still for commands that copy or check it, beside a running server or without one. */
import { filesAtRest } from "../../engine/pinned-files.ts";
import type { FilesOfMoment } from "../../snapshot/backup-list.ts";
import { expectAllFiles, expectNoRepair, lockFolder } from "../../engine/opening/open.ts";
import { whyNotNew } from "../../engine/opening/new-folder.ts";
import { advice, orRefused } from "../../engine/refused.ts";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { acquireReadLock } from "../../lib/disk/lock.ts";
import { isManifest } from "../../snapshot/manifest.ts";
import { expectDataFolder } from "../data-folder.ts";
import { holdServer, serverListens } from "../socket.ts";

/**
 * Calls `use` while no file of this moment is changed or removed. Beside a server it gets these files; without one
 * undefined, and then no server starts until it is done. `expectKept` throws if the server has stopped meanwhile, which
 * explains files that are missing. Throws Refusal, FolderInUse or DiskError.
 */
export async function whileStill<T>(
  folder: string,
  use: (files: FilesOfMoment | undefined, expectKept: () => Promise<void>) => Promise<T>,
): Promise<T> {
  if (await serverListens(folder)) {
    const hold = await holdServer(folder, "pinFiles");
    const expectKept = async () => {
      if (await hold.lost(folder)) throw stoppedMeanwhile(folder);
    };
    try {
      return await use(hold.value as FilesOfMoment, expectKept);
    } catch (error) {
      await expectKept();
      throw error;
    } finally {
      hold.release();
    }
  }
  expectDataFolder(folder, false);
  // The rest of a data folder says why it cannot be used.
  if (!systemDisk.list(folder).some(isManifest))
    throw new Refusal(404, whyNotNew(systemDisk, folder) ?? `${folder} has no checkpoint`);
  using _lock = lockFolder(folder, acquireReadLock);
  expectNoRepair(systemDisk, folder);
  expectAllFiles(systemDisk, folder);
  return await use(undefined, async () => {});
}

/** The next start of the server may have removed or changed files that were still needed. */
function stoppedMeanwhile(folder: string): Refusal {
  return new Refusal(
    500,
    `the server of ${folder} stopped meanwhile, and no longer kept the files of this moment: run the command again`,
  );
}

/** Returns the files of a folder that nobody serves. Throws FolderRefused, LogDamage or DiskError. */
export function filesOf(folder: string): FilesOfMoment {
  return orRefused(() => filesAtRest(systemDisk, folder), advice.folder);
}
