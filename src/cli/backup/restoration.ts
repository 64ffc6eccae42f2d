/**
 * Restores a backup into an empty data folder. Everything is written into a folder within it and verified there; only
 * then its files take their places, the manifest last. Whatever fails, nothing of it stays.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { awaitedName } from "../../engine/files/awaited-files.ts";
import { lockName, restoringName as staging } from "../../engine/opening/new-folder.ts";
import { lockFolder } from "../../engine/opening/open.ts";
import { orRefused } from "../../engine/refused.ts";
import { systemDisk, writeFile } from "../../lib/disk/disk.ts";
import { acquireLock } from "../../lib/disk/lock.ts";
import { removeTree } from "../../lib/disk/tree.ts";
import { readListed, type BackupList } from "../../snapshot/backup-list.ts";
import { isFileOfCheckpoint, isManifest } from "../../snapshot/manifest.ts";
import { logDirectory, logPath } from "../../wal/segment.ts";
import { checkedFolder } from "../checked-folder.ts";
import { expectOwnFolder } from "../data-folder.ts";

/** The names that a restore moves to their places before the manifest. */
const partPattern = new RegExp(`^(wal|chunks|beacons|${awaitedName}|\\d{16}\\.state)$`);
/** A new volume has the latter. */
const harmless: ReadonlySet<string> = new Set([lockName, "lost+found"]);

const otherwise =
  "restore another one, or unpack it into a new folder with tar if it is an archive, and see what 'footfall repair' can keep";

/** `inside`: the folder into which `put` writes. */
export type ReadBackup = (
  put: (name: string, bytes: Uint8Array) => void,
  inside: string,
) => Promise<BackupList>;

/** Throws Refusal, DiskError, and what a damaged backup makes a start throw; the folder is as it was then. */
export async function restoreInto(folder: string, read: ReadBackup): Promise<BackupList> {
  const isNew = !existsSync(folder);
  systemDisk.makeDirectory(folder);
  remainsIn(folder);
  // This comes last: a server may have the data that is there open, and the advice is to take the folder from its user.
  expectOwnFolder(folder);
  using _lock = lockFolder(folder, acquireLock);
  const inside = join(folder, staging);
  try {
    for (const name of remainsIn(folder)) removeTree(join(folder, name));
    const { list } = await fill(inside, read);
    verify(inside, list);
    moveUp(folder, inside);
    if (isNew) systemDisk.syncDirectory(dirname(folder));
    return list;
  } catch (error) {
    removeTree(inside);
    systemDisk.remove(join(folder, lockName));
    if (isNew) removeTree(folder);
    throw error;
  }
}

/**
 * Does the same for a folder that has a copy of what is also elsewhere, in which only the files of checkpoints and of the
 * log are replaced, and only once all that was read is verified. One that was interrupted is done again.
 */
export async function replaceCopy(folder: string, read: ReadBackup): Promise<BackupList> {
  systemDisk.makeDirectory(folder);
  using _lock = lockFolder(folder, acquireLock);
  const inside = join(folder, staging);
  try {
    removeTree(inside);
    const { list, written } = await fill(inside, read);
    // A node that joins waits for it: what the state says of itself was checked where the backup was made.
    compare(
      inside,
      list.files.filter(({ name }) => written.has(name)),
    );
    removeParts(folder);
    moveUp(folder, inside);
    return list;
  } catch (error) {
    removeTree(inside);
    throw error;
  }
}

/** The manifests go first: without one, nothing takes the rest for a data folder. */
function removeParts(folder: string): void {
  const names = systemDisk.list(folder);
  for (const name of names.filter(isManifest)) systemDisk.remove(join(folder, name));
  systemDisk.syncDirectory(folder);
  for (const name of names.filter((one) => partPattern.test(one))) removeTree(join(folder, name));
}

/** Returns the names of what an interrupted restore left, which is nobody's. Throws Refusal if there is anything else. */
function remainsIn(folder: string): string[] {
  const names = systemDisk.list(folder);
  const isInterrupted = names.includes(staging) && !names.some(isManifest);
  const remains = names.filter((name) => name === staging || (isInterrupted && partPattern.test(name)));
  const other = names.find((name) => !remains.includes(name) && !harmless.has(name));
  if (other === undefined) return remains;
  throw new Refusal(
    409,
    `${folder} is not empty, it has ${other}: restore into a new folder, with --data or FOOTFALL_DATA`,
  );
}

async function fill(folder: string, read: ReadBackup) {
  const directories = new Set([folder, logPath(folder)]);
  for (const directory of directories) systemDisk.makeDirectory(directory);
  const written = new Set<string>();
  const list = await read((name, bytes) => {
    written.add(name);
    const path = join(folder, name);
    for (let directory = dirname(path); !directories.has(directory); directory = dirname(directory)) {
      systemDisk.makeDirectory(directory);
      directories.add(directory);
    }
    writeFile(systemDisk, path, bytes);
  }, folder);
  const [other] = written.difference(new Set(list.files.map(({ name }) => name)));
  if (other !== undefined)
    throw new Refusal(400, `the backup has a file that its list does not name: ${other}`);
  for (const directory of directories) systemDisk.syncDirectory(directory);
  return { list, written };
}

/** Reads files back. Throws FolderRefused for one that is not as the list has it. */
function compare(folder: string, files: BackupList["files"]): void {
  orRefused(() => {
    for (const entry of files) readListed(systemDisk, folder, entry);
  }, "take another backup");
}

/** Reads everything back: what no manifest names as the list has it, then the whole folder as `check` does. */
function verify(folder: string, list: BackupList): void {
  compare(
    folder,
    list.files.filter(({ name }) => !isFileOfCheckpoint(name)),
  );
  const { faults, seq } = checkedFolder(folder);
  if (faults.length === 0 && seq !== list.seq)
    faults.push(`the log ends with record ${seq}, and the list of the backup says ${list.seq}`);
  // After it a fault says what to do with the folder, of which nothing stays.
  const what = faults[0]?.split("; ", 1)[0];
  if (what !== undefined) throw new Refusal(400, `the backup cannot be restored: ${what}; ${otherwise}`);
}

/** The log comes first: a folder with a log and without a manifest is refused by every start. */
function moveUp(folder: string, inside: string): void {
  const names = systemDisk.list(inside);
  const rank = (name: string) => (name === logDirectory ? 0 : isManifest(name) ? 2 : 1);
  const moved: string[] = [];
  try {
    for (const name of names.toSorted((a, b) => rank(a) - rank(b))) {
      systemDisk.syncDirectory(folder);
      systemDisk.rename(join(inside, name), join(folder, name));
      moved.push(name);
    }
    removeTree(inside);
    systemDisk.syncDirectory(folder);
  } catch (error) {
    for (const name of moved) removeTree(join(folder, name));
    throw error;
  }
}
