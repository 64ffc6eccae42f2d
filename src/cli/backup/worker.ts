/** The entry point of a Worker that makes backups of a folder that this process serves, or fetches files of one. */
import { systemClock } from "../../lib/clock.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { goLast } from "../../lib/threads/priority.ts";
import { systemRandom } from "../../lib/random.ts";
import type { FilesOfMoment } from "../../snapshot/backup-list.ts";
import { bytesOf, copyToStoreLocked } from "./copy.ts";
import { fetchFile, type FetchJob } from "./fetch.ts";
import { storeMadeAt } from "./store-at-place.ts";
import { newestBackupMs, type BackupStore } from "./store.ts";
import type { GivenUp } from "./target.ts";

declare const self: Worker;

export interface BackupJob {
  readonly folder: string;
  readonly destination: string;
  /** The caller has the lock of backups. Undefined asks only when the newest backup was made. */
  readonly copy: { readonly files: FilesOfMoment; readonly keep: number; readonly nowMs: number } | undefined;
}

export interface BackupDone extends GivenUp {
  /** The time of the newest backup, in milliseconds since 1970; undefined for none. */
  readonly madeMs: number | undefined;
  readonly record: number;
  readonly bytes: number;
  readonly newBytes: number;
}

/** `goesOn`: the place has answered once more. */
export type BackupReply = BackupDone | { readonly goesOn: true } | { readonly error: string };

/** Several files may be fetched at once: each reply names its own. `error` is there if it did not come. */
export interface FetchReply {
  readonly name: string;
  readonly error?: string;
}

self.onmessage = ({ data }: MessageEvent<BackupJob | FetchJob>) => {
  if ("entry" in data) return void fetchAndReply(data);
  goLast();
  done(data).then(
    (reply) => self.postMessage(reply satisfies BackupReply),
    (error: unknown) => self.postMessage({ error: textOf(error) } satisfies BackupReply),
  );
};

async function fetchAndReply(job: FetchJob): Promise<void> {
  const { name } = job.entry;
  const reply = (more: Omit<FetchReply, "name">) => self.postMessage({ name, ...more } satisfies FetchReply);
  await fetchFile(job).then(
    () => reply({}),
    (error: unknown) => reply({ error: textOf(error) }),
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function done({ folder, destination, copy }: BackupJob): Promise<BackupDone> {
  const goesOn = () => self.postMessage({ goesOn: true } satisfies BackupReply);
  const store = noticing(storeMadeAt(destination), goesOn);
  if (copy === undefined) {
    const madeMs = await newestBackupMs(store, folder, systemRandom);
    return { madeMs, record: 0, bytes: 0, newBytes: 0, removed: 0 };
  }
  const { files, keep, nowMs } = copy;
  const { list, newBytes, removed, trouble } = await copyToStoreLocked(store, keep, {
    disk: systemDisk,
    folder,
    files,
    isServed: true,
    clock: { nowMs: () => nowMs, monotonicMs: () => systemClock.monotonicMs() },
    random: systemRandom,
    onProgress: () => {},
  });
  return { madeMs: list.madeMs, record: list.seq, bytes: bytesOf(list), newBytes, removed, trouble };
}

/** Calls `onAnswer` after each call of the store that has come back. */
function noticing(store: BackupStore, onAnswer: () => void): BackupStore {
  const noticed = <T>(answer: Promise<T>) => answer.finally(onAnswer);
  return {
    place: store.place,
    list: () => noticed(store.list()),
    read: (name) => noticed(store.read(name)),
    write: (name, bytes) => noticed(store.write(name, bytes)),
    remove: (name) => noticed(store.remove(name)),
    sync: (names) => noticed(store.sync(names)),
    roomFor: (data) => store.roomFor?.(data),
  };
}
