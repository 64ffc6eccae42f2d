/**
 * Begins a copy with a backup: what a start needs of it is read and verified before anything of the folder goes. The files
 * of finished months come later.
 */
import { join } from "node:path";
import { storedNames, stateName } from "../../engine/checkpoint/checkpoint-names.ts";
import { deletesStatistics } from "../../record/traits.ts";
import {
  awaitedName,
  encodeAwaited,
  namesOfLater,
  type AwaitedList,
} from "../../engine/files/awaited-files.ts";
import { readLogAfter } from "../../engine/pinned-files.ts";
import { orRefused } from "../../engine/refused.ts";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk, writeFile } from "../../lib/disk/disk.ts";
import type { BackupEntry } from "../../snapshot/backup-list.ts";
import { decodeManifest, type Manifest } from "../../snapshot/manifest.ts";
import { decodeSections, readInFile } from "../../snapshot/section.ts";
import { replaceCopy } from "../backup/restoration.ts";
import { findBackup, readStored, type BackupStore } from "../backup/store.ts";
import type { StoredBackup } from "../backup/stored-backups.ts";

const advice = "remove it from the place of backups, or take another version of the program";

/**
 * Replaces the copy in `folder` by what a start needs of the backup. Returns the list of the files that the copy lacks then,
 * which may be none. Throws Refusal, FolderRefused, LogDamage and DiskError; the folder is as it was then.
 */
export async function beginWith(
  folder: string,
  store: BackupStore,
  backup: StoredBackup,
): Promise<AwaitedList> {
  const { top, list } = await findBackup(store, () => backup);
  const [own, ...rest] = list.files as [BackupEntry, ...BackupEntry[]];
  let files: BackupEntry[] = [];
  const awaited = () => ({ manifest: own.name, seq: list.seq, top, files });
  await replaceCopy(folder, async (put, inside) => {
    const take = async (entry: BackupEntry) => {
      const bytes = await readStored(store, top, entry);
      put(entry.name, bytes);
      return bytes;
    };
    const bytes = await take(own);
    const manifest = orRefused(() => decodeManifest(bytes, own.name, storedNames), advice);
    const state = rest.find(({ name }) => name === stateName(manifest.seq));
    if (state === undefined) throw new Refusal(400, `the backup ${backup.list} lacks the state`);
    const later = laterIn(manifest, await take(state), state.name);
    for (const entry of rest) if (entry !== state && !later.has(entry.name)) await take(entry);
    files = rest.filter(({ name }) => later.has(name));
    if (needsAll(inside, manifest)) for (const entry of files.splice(0)) await take(entry);
    if (files.length > 0) writeFile(systemDisk, join(inside, awaitedName), encodeAwaited(awaited()));
    return list;
  });
  return awaited();
}

/** Returns the names of the files that may come later. */
function laterIn(manifest: Manifest, bytes: Uint8Array, name: string): ReadonlySet<string> {
  const sections = orRefused(() => decodeSections(bytes, name), advice);
  return orRefused(() => readInFile(name, () => namesOfLater(manifest, sections)), advice);
}

/** Whether the log beside the checkpoint deletes statistics: a start replays that, and it may read any file. */
function needsAll(folder: string, manifest: Manifest): boolean {
  let found = false;
  readLogAfter(systemDisk, folder, manifest, (record) => (found ||= deletesStatistics(record)));
  return found;
}
