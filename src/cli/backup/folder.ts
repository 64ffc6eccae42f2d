/**
 * Backups in a folder, each of which copies only what is not there yet. The backups of one data folder have a folder of
 * their own, named by its id and by its incarnation: a copy of a data folder is another incarnation. The name of a stored
 * file ends in its checksum, so no file is ever overwritten by another.
 *
 *   <id>-<incarnation>/<record>.<time>.backup           the list of one backup
 *   <id>-<incarnation>/<name in the data folder>.<checksum>
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { nameOfOriginal } from "../../lib/copied.ts";
import { replaceFile, systemDisk } from "../../lib/disk.ts";
import type { Random } from "../../lib/random.ts";
import {
  decodeList,
  encodeList,
  expectListed,
  isListName,
  listName,
  type BackupEntry,
  type BackupList,
} from "../../snapshot/backup-list.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import type { BackupTarget } from "./target.ts";

const incarnationFile = "incarnation";

export class FolderTarget implements BackupTarget {
  private readonly folder: string;
  /** The directories that got new names. */
  private readonly touched = new Set<string>();

  /** `folder`: of all backups; `data`: the data folder, which gets an incarnation if it has none. Throws DiskError. */
  constructor(folder: string, data: string, folderId: string, random: Random) {
    const incarnation = nameOfOriginal(join(data, incarnationFile), random);
    this.folder = join(folder, `${folderId}-${incarnation}`);
    systemDisk.makeDirectory(this.folder);
    systemDisk.syncDirectory(folder);
  }

  has(entry: BackupEntry): boolean {
    const path = join(this.folder, storedName(entry));
    return existsSync(path) && statSync(path).size === entry.bytes;
  }

  async put(entry: BackupEntry, bytes: Uint8Array): Promise<void> {
    const path = join(this.folder, storedName(entry));
    for (let directory = dirname(path); directory !== this.folder; directory = dirname(directory))
      this.touched.add(directory);
    systemDisk.makeDirectory(dirname(path));
    replaceFile(systemDisk, path, bytes);
  }

  /** Each file is synced already. */
  settle(): void {}

  async finish(list: BackupList): Promise<void> {
    for (const directory of [...this.touched, this.folder]) systemDisk.syncDirectory(directory);
    replaceFile(systemDisk, join(this.folder, listName(list)), encodeList(list));
    systemDisk.syncDirectory(this.folder);
  }

  /** Copied files stay: the next backup need not copy it again. */
  abandon(): void {}
}

function storedName({ name, checksum }: BackupEntry): string {
  return `${name}.${checksum.toString(16).padStart(8, "0")}`;
}

/** Writes the files of the newest backup in a folder with `put`, and returns its list. Throws Refusal and DiskError. */
export async function readBackupFolder(
  given: string,
  put: (name: string, bytes: Uint8Array) => void,
): Promise<BackupList> {
  const folder = incarnationIn(given);
  const name = systemDisk.list(folder).findLast(isListName);
  if (name === undefined) throw new Refusal(404, `${folder} has no complete backup`);
  const list = inFile(folder, name, () => decodeList(systemDisk.read(join(folder, name)), name));
  for (const entry of list.files) {
    const stored = storedName(entry);
    if (!existsSync(join(folder, stored)))
      throw new Refusal(400, `${join(folder, stored)} is missing; take another backup`);
    put(
      entry.name,
      inFile(folder, stored, () => expectListed(entry, systemDisk.read(join(folder, stored)))),
    );
  }
  return list;
}

/** Returns the folder with the backups of one incarnation: `given` itself, or the only one in it. */
function incarnationIn(given: string): string {
  const names = systemDisk.list(given);
  if (names.some(isListName)) return given;
  const inside = names.filter((name) => /^[0-9a-f]{32}-[0-9a-f]{16}$/.test(name));
  if (inside.length === 1) return join(given, inside[0] as string);
  if (inside.length === 0) throw new Refusal(404, `${given} has no backup`);
  const choice = inside.map((name) => join(given, name)).join(", ");
  throw new Refusal(400, `${given} has backups of several data folders: restore one of ${choice}`);
}

/** Says which stored file is damaged: without it, the next backup copies the file again. */
function inFile<T>(folder: string, name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SnapshotDamage)) throw error;
    const path = join(folder, name);
    throw new Refusal(
      400,
      `${path} is damaged: ${error.message}; take another backup, and remove the file: then the next backup copies it again`,
    );
  }
}
