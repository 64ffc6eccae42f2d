/** The commands that copy a data folder, also while its server runs, and that make one of the copy. */
import { createReadStream } from "node:fs";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk.ts";
import { goLast } from "../../lib/priority.ts";
import type { BackupList } from "../../snapshot/backup-list.ts";
import { ArchiveTarget, readArchive } from "../backup/archive.ts";
import { isBucket } from "../backup/bucket.ts";
import { bytesOf, copyTo, copyToStore, type Copied, type Copying } from "../backup/copy.ts";
import { filesOf, whileStill } from "../backup/pinned.ts";
import { expectElsewhere, storeAt, storeMadeAt } from "../backup/store-at-place.ts";
import { restoreInto } from "../backup/restoration.ts";
import { readStore } from "../backup/store.ts";
import type { Call, Command } from "../command.ts";
import { standardOutput } from "../output.ts";
import { count, megabytes, nowAndThen, progressBar } from "../progress.ts";
import { parseCount } from "../settings/values.ts";

const standard = "-";

export const backup: Command = {
  words: ["backup"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [
    {
      name: "keep",
      placeholder: "NUMBER",
      required: false,
      description: "Then give up all older backups of this data folder in the FOLDER or bucket but so many",
    },
  ],
  description: "Copy all data, also while the server runs: to a tar archive, or what is new to a FOLDER/",
  exitCodes: { 0: "the backup is complete" },
  run: async (call) => {
    const { settings, operands, flags, terminal, clock } = call;
    const { folder } = settings;
    const destination = operands[0] as string;
    const keep = flags.get("keep");
    const show = nowAndThen(clock, terminal);
    goLast();
    const { list, newBytes, removed } = await whileStill(folder, (pinned) =>
      copied(call, destination, keep === undefined ? undefined : parseCount(keep, "--keep"), {
        disk: systemDisk,
        folder,
        files: pinned ?? filesOf(folder),
        isServed: pinned !== undefined,
        clock,
        onProgress: (done, total) => show(() => `${progressBar(done / total)}  ${megabytes(done)}`),
      }),
    ).finally(() => terminal.status(""));
    const gone = removed === 0 ? "" : `, ${count(removed, "older backup")} removed`;
    const line = `backed up ${totals(list)} to ${destination}, ${megabytes(newBytes)} of it new${gone}`;
    if (destination === standard) terminal.note(line);
    else terminal.print(line);
  },
};

export const restore: Command = {
  words: ["restore"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [],
  description: "Make an empty or new data folder from a backup, and say so when all of it is verified",
  exitCodes: { 0: "the data folder is complete and verified" },
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

function copied(
  { random, settings }: Call,
  destination: string,
  keep: number | undefined,
  copying: Copying,
): Promise<Copied> {
  if (destination !== standard) expectElsewhere(destination, settings.folder);
  const isFolder = destination.endsWith("/") || isBucket(destination);
  const store = isFolder ? storeMadeAt(destination) : storeAt(destination);
  if (destination !== standard && store !== undefined)
    return copyToStore(store, keep ?? Infinity, { ...copying, random });
  if (keep !== undefined)
    throw new Refusal(
      400,
      `--keep: expected a folder or bucket to give up older backups in, got ${destination}`,
    );
  return copyTo(
    ({ madeMs }) =>
      destination === standard
        ? ArchiveTarget.toStream(standardOutput(), madeMs)
        : ArchiveTarget.toFile(copying.disk, destination, madeMs),
    copying,
  );
}

function totals(list: BackupList): string {
  return `${count(list.files.length, "file")} (${megabytes(bytesOf(list))}) up to record ${list.seq}`;
}
