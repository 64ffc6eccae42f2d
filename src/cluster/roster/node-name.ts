/**
 * The names of nodes. A folder gets a name when a node first runs on it, and keeps it; a process has that name and a
 * part of its own. So an answer or the lease is for one process, and neither for a later one nor for one on a copy of
 * the folder; and of two processes it can be told whether they speak of the same folder.
 */
import { hostname } from "node:os";
import { join } from "node:path";
import { replaceFile, systemDisk } from "../../lib/disk/disk.ts";
import type { Random } from "../../lib/random.ts";

/** The file in a data folder with its name. */
const nameFile = "node";
const ownBytes = 3;
const ownPart = new RegExp(`-[0-9a-f]{${ownBytes * 2}}$`);

/** Returns a new name for this process. */
export function nodeName(folder: string, random: Random): string {
  return `${folderName(folder, random)}-${random.bytes(ownBytes).toHex()}`;
}

/** Returns the name of the folder of a node. */
export function folderOf(nodeName: string): string {
  return nodeName.replace(ownPart, "");
}

function folderName(folder: string, random: Random): string {
  const path = join(folder, nameFile);
  if (systemDisk.list(folder).includes(nameFile)) return Buffer.from(systemDisk.read(path)).toString().trim();
  // It becomes a part of subjects.
  const name = `${hostname().replace(/[^\w-]/g, "-")}-${random.bytes(3).toHex()}`;
  replaceFile(systemDisk, path, Buffer.from(`${name}\n`));
  systemDisk.syncDirectory(folder);
  return name;
}
