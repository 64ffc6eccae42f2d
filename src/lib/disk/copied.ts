/**
 * A random name that a folder does not share with copies of it. The file that holds it says its own inode as well: in a
 * copy the file has another, and gets another name.
 */
import fs from "node:fs";
import { dirname } from "node:path";
import { diskCall, systemDisk } from "./disk.ts";
import type { Random } from "../random.ts";

const nameBytes = 8;

/** Returns the name in the file at `path`, in hex, and makes one where there is none yet. Throws DiskError. */
export function nameOfOriginal(path: string, random: Random): string {
  return knownName(path) ?? newName(path, random);
}

function knownName(path: string): string | undefined {
  if (!fs.existsSync(path)) return undefined;
  const [, name, inode] =
    /^([0-9a-f]{16}) (\d+)\n$/.exec(diskCall("read", path, () => fs.readFileSync(path, "utf8"))) ?? [];
  return inode === inodeOf(path) ? name : undefined;
}

function newName(path: string, random: Random): string {
  const name = random.bytes(nameBytes).toHex();
  const unfinished = `${path}.new`;
  systemDisk.remove(unfinished);
  const file = systemDisk.create(unfinished);
  try {
    systemDisk.write(file, Buffer.from(`${name} ${inodeOf(unfinished)}\n`));
    systemDisk.sync(file);
  } finally {
    systemDisk.close(file);
  }
  // A renamed file keeps its inode.
  systemDisk.rename(unfinished, path);
  systemDisk.syncDirectory(dirname(path));
  return name;
}

function inodeOf(path: string): string {
  return String(diskCall("inspect", path, () => fs.statSync(path, { bigint: true }).ino));
}
