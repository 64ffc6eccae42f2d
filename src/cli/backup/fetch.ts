/** Brings one file of a backup into the data folder whose copy began with that backup. */
import { dirname, join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { replaceFile, systemDisk } from "../../lib/disk/disk.ts";
import type { BackupEntry } from "../../snapshot/backup-list.ts";
import { storeAt } from "./store-at-place.ts";
import { readStored, storedName, type BackupStore } from "./store.ts";

export interface FetchJob {
  readonly folder: string;
  readonly place: string;
  /** The folder of the backup in the store, with a slash. */
  readonly top: string;
  readonly entry: BackupEntry;
}

/** Resolves when the file is durable. Throws Refusal for one that no backup has as it should be, and DiskError. */
export async function fetchFile({ folder, place, top, entry }: FetchJob): Promise<void> {
  const store = storeAt(place);
  if (store === undefined) throw new Refusal(404, `${place} is no folder`);
  const bytes = await readStored(store, top, entry).catch(async (error: unknown) => {
    const other = await otherTop(store, top, entry);
    if (other === undefined) throw error;
    return readStored(store, other, entry);
  });
  const path = join(folder, entry.name);
  replaceFile(systemDisk, path, bytes);
  systemDisk.syncDirectory(dirname(path));
}

/** Finds the backups of another node that have the same file: its name ends in its checksum. */
async function otherTop(store: BackupStore, top: string, entry: BackupEntry): Promise<string | undefined> {
  const name = `/${storedName(entry)}`;
  const names = [...(await store.list()).keys()];
  const found = names.find((other) => other.endsWith(name) && !other.startsWith(top));
  return found?.slice(0, 1 - name.length);
}
