/**
 * Restores a backup into an empty data folder. Everything is written into a folder within it and verified there; only
 * then its files take their places, the manifest last. Whatever fails, nothing of it stays.
 */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { lockFolder, orRefused, restoringName as staging } from "../../engine/open.ts";
import { filesAtRest } from "../../engine/pinned-files.ts";
import { systemDisk, writeFile } from "../../lib/disk.ts";
import { acquireLock } from "../../lib/lock.ts";
import { readListed, type BackupList } from "../../snapshot/backup-list.ts";
import { isManifest } from "../../snapshot/manifest.ts";

const lockName = "LOCK";

export type ReadBackup = (put: (name: string, bytes: Uint8Array) => void) => Promise<BackupList>;

/** Throws Refusal, DiskError, and what a damaged backup makes a start throw; the folder is as it was then. */
export async function restoreInto(folder: string, read: ReadBackup): Promise<BackupList> {
  const isNew = !existsSync(folder);
  systemDisk.makeDirectory(folder);
  expectEmpty(folder);
  const lock = lockFolder(folder, acquireLock);
  const inside = join(folder, staging);
  try {
    rmSync(inside, { recursive: true, force: true });
    const list = await fill(inside, read);
    verify(inside, list);
    moveUp(folder, inside);
    return list;
  } catch (error) {
    rmSync(inside, { recursive: true, force: true });
    rmSync(join(folder, lockName), { force: true });
    if (isNew) rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

/** The remains of an interrupted restore do not count. */
function expectEmpty(folder: string): void {
  const names = systemDisk.list(folder).filter((name) => name !== staging && name !== lockName);
  if (names.length > 0)
    throw new Refusal(
      409,
      `${folder} is not empty, it has ${names[0]}: restore into a new folder, with --data or FOOTFALL_DATA`,
    );
}

async function fill(folder: string, read: ReadBackup): Promise<BackupList> {
  const directories = new Set([folder, join(folder, "wal")]);
  for (const directory of directories) systemDisk.makeDirectory(directory);
  const list = await read((name, bytes) => {
    const path = join(folder, name);
    for (let directory = dirname(path); !directories.has(directory); directory = dirname(directory)) {
      systemDisk.makeDirectory(directory);
      directories.add(directory);
    }
    writeFile(systemDisk, path, bytes);
  });
  for (const directory of directories) systemDisk.syncDirectory(directory);
  return list;
}

/** Reads everything back: each file, and the log up to its last record. */
function verify(folder: string, list: BackupList): void {
  const files = orRefused(() => {
    for (const entry of list.files) readListed(systemDisk, folder, entry);
    return filesAtRest(systemDisk, folder);
  }, "take another backup");
  if (files?.seq !== list.seq)
    throw new Refusal(
      400,
      `the backup's log ends with record ${files?.seq ?? 0}, and its list says ${list.seq}`,
    );
}

/** The log comes first: a folder with a log and without a manifest is refused by every start. */
function moveUp(folder: string, inside: string): void {
  const names = systemDisk.list(inside);
  const rank = (name: string) => (name === "wal" ? 0 : isManifest(name) ? 2 : 1);
  const moved: string[] = [];
  try {
    for (const name of names.toSorted((a, b) => rank(a) - rank(b))) {
      systemDisk.syncDirectory(folder);
      systemDisk.rename(join(inside, name), join(folder, name));
      moved.push(name);
    }
    rmSync(inside, { recursive: true });
    systemDisk.syncDirectory(folder);
  } catch (error) {
    for (const name of moved) rmSync(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}
