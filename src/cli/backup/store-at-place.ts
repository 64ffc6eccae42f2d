/** Turns the place of a backup, as somebody writes it, into the store of files that it names. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { expectOutside } from "../output-file.ts";
import { BucketStore, isBucket } from "./bucket.ts";
import { FolderStore } from "./folder.ts";
import { isListName } from "../../snapshot/backup-list.ts";
import type { BackupStore } from "./store.ts";
import { backupOf, newestOfFolder, splitPath, type Choose } from "./stored-backups.ts";

/** Returns undefined for anything but a bucket and a folder that exists. Throws Refusal. */
export function storeAt(place: string): BackupStore | undefined {
  if (isBucket(place)) return new BucketStore(place);
  return isFolder(place) ? new FolderStore(withoutSlash(place)) : undefined;
}

export interface BackupsAtPlace {
  readonly store: BackupStore;
  readonly choose: Choose;
}

/** Returns the store at the place, or the one with the list at that path, and which backup is meant. Throws Refusal. */
export function backupsAt(place: string): BackupsAtPlace | undefined {
  const [folder, list] = splitPath(place);
  const isList = isListName(list);
  const store = storeAt(isList ? folder || "." : place);
  return store && { store, choose: isList ? backupOf(list) : newestOfFolder };
}

/** Returns the store at a place that is a bucket or a folder, which is made if it is missing. Throws Refusal and DiskError. */
export function storeMadeAt(place: string): BackupStore {
  if (!isBucket(place)) {
    expectStore(place);
    systemDisk.makeDirectory(place);
    systemDisk.syncDirectory(dirname(resolve(place)));
  }
  return storeAt(place) as BackupStore;
}

/** Throws Refusal if the place is the data folder, or in it: what the backup is to outlive would take it along. */
export function expectElsewhere(place: string, data: string): void {
  if (!isBucket(place)) expectOutside(place, data);
}

/** Throws Refusal if the place can never be a store: a bucket without a name, or a file. */
export function expectStore(place: string): void {
  if (isBucket(place)) return void new BucketStore(place);
  // The system finds no file by a name with a slash at its end.
  const path = withoutSlash(place);
  if (!existsSync(path) || isFolder(path)) return;
  const how = path === place ? "" : ", which a backup to the name without a slash makes";
  throw new Refusal(400, `${path} is a file${how}: expected a folder or s3://bucket`);
}

function withoutSlash(place: string): string {
  return place.replace(/(.)\/+$/, "$1");
}

function isFolder(place: string): boolean {
  return existsSync(place) && statSync(place).isDirectory();
}
