/**
 * Whose a data folder is. Root may do everything, but the files that it makes are its own, and a server that runs as
 * another user cannot open them.
 */
import fs from "node:fs";
import { diskCall } from "./disk.ts";

const root = 0;

/** Returns the number of the user that owns the file or folder, if this is root and that is not; else undefined. */
export function otherOwner(path: string): number | undefined {
  if (process.geteuid?.() !== root) return undefined;
  const { uid } = fs.statSync(path, { throwIfNoEntry: false }) ?? { uid: root };
  return uid === root ? undefined : uid;
}

/** Gives a file that root made in a folder of somebody else to that user. Throws DiskError. */
export function giveToOwner(folder: string, path: string): void {
  if (otherOwner(folder) === undefined) return;
  diskCall("give away", path, () => {
    const { uid, gid } = fs.statSync(folder);
    const file = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
    try {
      const found = fs.fstatSync(file);
      // A second name could be that of a file elsewhere.
      if (found.uid === root && found.nlink === 1) fs.fchownSync(file, uid, gid);
    } finally {
      fs.closeSync(file);
    }
  });
}
