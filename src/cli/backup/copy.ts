/** Copies the files of one moment of a data folder to a target, and gives up older backups where that is asked. */
import { shellWord } from "../callable.ts";
import { join } from "node:path";
import { storedNames } from "../../engine/checkpoint/checkpoint-names.ts";
import { readManifest } from "../../engine/opening/check-folder.ts";
import { readLogAfter } from "../../engine/pinned-files.ts";
import { advice, orRefused } from "../../engine/refused.ts";
import { Refusal } from "../../core/refusal.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disk } from "../../lib/disk/disk.ts";
import { nameOfOriginal } from "../../lib/disk/copied.ts";
import { acquireLock, LockHeld, type ScopedLock } from "../../lib/disk/lock.ts";
import { giveToOwner } from "../../lib/disk/owner.ts";
import type { Random } from "../../lib/random.ts";
import { listFiles, readListed, type BackupList, type FilesOfMoment } from "../../snapshot/backup-list.ts";
import { LogDamage } from "../../wal/damage.ts";
import { logPath } from "../../wal/segment.ts";
import { incarnationFile, StoreTarget, type BackupStore } from "./store.ts";
import type { BackupTarget, GivenUp } from "./target.ts";

/** Beside a server, a copy rests after so many bytes. */
const restBytes = 2 * 1024 * 1024;
const mend = `the data folder is damaged (${advice.ofNode}): 'footfall repair' says what can be mended`;
const archiveAdvice = `${mend}, and 'footfall restore FILE --data NEW' makes another of an earlier backup`;
const mendLog =
  "the server has in memory what was there: stop it and start it again, or wait for its daily look at all files: it makes a " +
  "checkpoint then that needs no earlier log";
/** The file in a data folder that is locked while a backup of it is under way. */
const lockName = "backup.lock";

export interface Copying {
  /** The disk that has the folder. */
  readonly disk: Disk;
  readonly folder: string;
  readonly files: FilesOfMoment;
  /** Whether a server keeps these files, whose hits wait for the same disk. */
  readonly isServed: boolean;
  readonly clock: Clock;
  /** Receives how many bytes are done, and how many there are. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface Copied extends GivenUp {
  readonly list: BackupList;
  /** The bytes that the target did not have. */
  readonly newBytes: number;
}

export function bytesOf({ files }: BackupList): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Copies everything to a target that is made for the list. Throws Refusal, FolderRefused, LogDamage and DiskError. */
export async function copyTo(
  target: (list: BackupList) => BackupTarget | Promise<BackupTarget>,
  copying: Copying,
  advice = archiveAdvice,
): Promise<Copied> {
  const { disk, folder, files, isServed, clock } = copying;
  if (isServed) orRefused(() => expectWholeLog(copying), advice);
  const list = orRefused(() => listFiles(disk, folder, files, storedNames, clock.nowMs()), advice);
  const place = await target(list);
  try {
    const missing = list.files.filter((entry) => !place.has(entry));
    place.expectRoom?.(missing, { folder, keptFreeBytes: files.keptFreeBytes ?? 0 });
    return { list, ...(await copyFiles(place, list, copying, advice)) };
  } catch (error) {
    place.abandon?.();
    throw error;
  }
}

/**
 * Throws LogDamage unless every record is in the log of the files: nothing but the log itself says what should be there, and the
 * server does not read it. Without one, whoever finds the files has read it.
 */
function expectWholeLog({ disk, folder, files: { manifest, log, seq } }: Copying): void {
  try {
    const { position } = readLogAfter(disk, folder, readManifest(disk, folder, manifest), () => {}, log);
    const last = position.nextSeq - 1;
    if (last !== seq)
      throw new LogDamage(logPath(folder), 0, `the log ends with record ${last}, not ${seq}`, "");
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error;
    throw new LogDamage(error.file, error.offset, error.what, mendLog);
  }
}

/**
 * Copies what is new to a store, and then gives up all backups but the newest `keep`. Nobody else does so for this data
 * folder meanwhile: an older backup's file that a copy counts on must not go. Throws what `copyTo` throws.
 */
export async function copyToStore(
  store: BackupStore,
  keep: number,
  copying: Copying & { readonly random: Random },
): Promise<Copied> {
  using _lock = lockBackups(copying.folder);
  return await copyToStoreLocked(store, keep, copying);
}

/** Does the same while the caller has the lock. */
export function copyToStoreLocked(
  store: BackupStore,
  keep: number,
  copying: Copying & { readonly random: Random },
): Promise<Copied> {
  const { folder, random } = copying;
  const own = nameOfOriginal(join(folder, incarnationFile), random);
  for (const name of [lockName, incarnationFile]) giveToOwner(folder, join(folder, name));
  const target = ({ folderId }: BackupList) => StoreTarget.open(store, `${folderId}-${own}`, keep);
  const earlier = `'footfall restore ${shellWord(store.place)} --list' names the backups of before`;
  return copyTo(target, copying, `${mend}, and ${earlier}`);
}

/** Throws Refusal while a backup of the folder to a store is under way. */
export function lockBackups(folder: string): ScopedLock {
  try {
    return acquireLock(join(folder, lockName));
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    throw new Refusal(409, `${error.process} makes a backup of ${folder}: wait until it has ended`);
  }
}

/** Copies what the target does not have. Beside a server, it rests as long as it works. */
async function copyFiles(
  target: BackupTarget,
  list: BackupList,
  { disk, folder, isServed, clock, onProgress }: Copying,
  advice: string,
): Promise<Omit<Copied, "list">> {
  const total = bytesOf(list);
  let [done, newBytes] = [0, 0];
  let [restedAt, restedMs] = [0, clock.monotonicMs()];
  for (const entry of list.files) {
    if (!target.has(entry)) {
      await target.put(
        entry,
        orRefused(() => readListed(disk, folder, entry), advice),
      );
      newBytes += entry.bytes;
    }
    if (isServed && newBytes - restedAt > restBytes) {
      target.settle?.();
      await Bun.sleep(clock.monotonicMs() - restedMs);
      [restedAt, restedMs] = [newBytes, clock.monotonicMs()];
    }
    onProgress((done += entry.bytes), total);
  }
  return { newBytes, ...(await target.finish(list)) };
}
