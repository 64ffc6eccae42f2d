/**
 * Whose a data folder is. Root may do everything, but the files that it makes are its own, and a server that runs as
 * another user cannot open them.
 */
import fs from "node:fs";
import { join } from "node:path";
import { diskCall } from "./disk.ts";

const root = 0;

/** Returns the number of the user that owns the file or folder, if this is root and that is not; else undefined. Throws DiskError. */
export function otherOwner(path: string): number | undefined {
  if (process.geteuid?.() !== root) return undefined;
  const { uid } = diskCall("inspect", path, () => fs.statSync(path, { throwIfNoEntry: false })) ?? {
    uid: root,
  };
  return uid === root ? undefined : uid;
}

/**
 * Returns whether what root makes in the folder is root's own, for which it makes a folder there and removes it. Mounts that map users
 * give it to another: NFS that squashes root, SMB and FAT with one owner for all files, many a NAS. Where nothing can be
 * made, nothing is root's either.
 */
export function rootKeepsWhatItMakes(folder: string): boolean {
  let made: string;
  try {
    made = fs.mkdtempSync(join(folder, "owner-"));
  } catch {
    return false;
  }
  try {
    return fs.statSync(made).uid === root;
  } finally {
    fs.rmdirSync(made);
  }
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
