/** The commands that copy a data folder, also while its server runs, and that make one of the copy. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { storedNames } from "../../engine/checkpoint/checkpoint-names.ts";
import { orRefused } from "../../engine/open.ts";
import { systemDisk } from "../../lib/disk.ts";
import { goLast } from "../../lib/priority.ts";
import { listFiles, readListed, type BackupList } from "../../snapshot/backup-list.ts";
import { ArchiveTarget, readArchive } from "../backup/archive.ts";
import { BucketStore, isBucket } from "../backup/bucket.ts";
import { FolderStore } from "../backup/folder.ts";
import { filesOf, whileStill } from "../backup/pinned.ts";
import { restoreInto } from "../backup/restoration.ts";
import { readStore, StoreTarget, type BackupStore } from "../backup/store.ts";
import type { BackupTarget } from "../backup/target.ts";
import type { Call, Command } from "../command.ts";
import { standardOutput } from "../output.ts";
import { count, megabytes, nowAndThen, progressBar } from "../progress.ts";

const standard = "-";
/** Beside a server, a copy rests after so many bytes. */
const restBytes = 2 * 1024 * 1024;
const advice = "the data folder is damaged: restore an earlier backup";

export const backup: Command = {
  words: ["backup"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [],
  description: "Copy all data, also while the server runs: to a tar archive, or what is new to a FOLDER/",
  run: async (call) => {
    const { settings, operands, terminal, clock } = call;
    const destination = operands[0] as string;
    goLast();
    await whileStill(settings.folder, async (pinned) => {
      const files = pinned ?? filesOf(settings.folder);
      const madeMs = clock.nowMs();
      const list = orRefused(
        () => listFiles(systemDisk, settings.folder, files, storedNames, madeMs),
        advice,
      );
      const target = await targetOf(call, destination, list);
      const copied = await copyTo(call, target, list, pinned !== undefined);
      const line = `backed up ${totals(list)} to ${destination}, ${megabytes(copied)} of it new`;
      if (destination === standard) terminal.note(line);
      else terminal.print(line);
    });
  },
};

export const restore: Command = {
  words: ["restore"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [],
  description: "Make an empty or new data folder from a backup, and say so when all of it is verified",
  run: async ({ settings, operands, terminal, clock }) => {
    const source = operands[0] as string;
    const show = nowAndThen(clock, terminal);
    let bytesRead = 0;
    const list = await restoreInto(settings.folder, (put) => {
      const putAndShow = (name: string, bytes: Uint8Array) => {
        put(name, bytes);
        bytesRead += bytes.length;
        show(() => `${megabytes(bytesRead)} read`);
      };
      if (source === standard) return readArchive(terminal.input, putAndShow);
      const store = storeAt(source);
      if (store !== undefined) return readStore(store, putAndShow);
      systemDisk.size(source);
      return readArchive(createReadStream(source), putAndShow);
    }).finally(() => terminal.status(""));
    terminal.print(
      `restored ${totals(list)} to ${settings.folder}, as of ${new Date(list.madeMs).toISOString()}`,
    );
  },
};

async function targetOf(
  { settings, random }: Call,
  destination: string,
  { folderId, madeMs }: BackupList,
): Promise<BackupTarget> {
  if (destination === standard) return ArchiveTarget.toStream(standardOutput(), madeMs);
  if (destination.endsWith("/") && !isBucket(destination)) {
    systemDisk.makeDirectory(destination);
    systemDisk.syncDirectory(dirname(resolve(destination)));
  }
  const store = storeAt(destination);
  if (store !== undefined) return StoreTarget.open(store, settings.folder, folderId, random);
  return ArchiveTarget.toFile(destination, madeMs);
}

/** Returns undefined for anything but a bucket and a folder that exists. */
function storeAt(place: string): BackupStore | undefined {
  if (isBucket(place)) return new BucketStore(place);
  const isFolder = existsSync(place) && statSync(place).isDirectory();
  return isFolder ? new FolderStore(place.replace(/(.)\/+$/, "$1")) : undefined;
}

/**
 * Copies what the target does not have, and returns how many bytes that were. Beside a server, whose hits wait for the
 * same disk, it rests as long as it works.
 */
async function copyTo(
  { settings, terminal, clock }: Call,
  target: BackupTarget,
  list: BackupList,
  isServed: boolean,
): Promise<number> {
  const total = bytesOf(list);
  const show = nowAndThen(clock, terminal);
  let [done, copied] = [0, 0];
  try {
    let [restedAt, restedMs] = [0, clock.monotonicMs()];
    for (const entry of list.files) {
      if (!target.has(entry)) {
        await target.put(
          entry,
          orRefused(() => readListed(systemDisk, settings.folder, entry), advice),
        );
        copied += entry.bytes;
      }
      if (isServed && copied - restedAt > restBytes) {
        target.settle();
        await Bun.sleep(clock.monotonicMs() - restedMs);
        [restedAt, restedMs] = [copied, clock.monotonicMs()];
      }
      done += entry.bytes;
      show(() => `${progressBar(done / total)}  ${megabytes(done)}`);
    }
    await target.finish(list);
    return copied;
  } catch (error) {
    target.abandon();
    throw error;
  } finally {
    terminal.status("");
  }
}

function totals(list: BackupList): string {
  return `${count(list.files.length, "file")} (${megabytes(bytesOf(list))}) up to record ${list.seq}`;
}

function bytesOf({ files }: BackupList): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
