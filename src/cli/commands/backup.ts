/** The commands that copy a data folder, also while its server runs, and that make one of the copy. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Refusal, shown } from "../../core/refusal.ts";
import { fileChunks } from "../../lib/disk/chunks.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { goLast } from "../../lib/threads/priority.ts";
import { listTimeMs, type BackupList } from "../../snapshot/backup-list.ts";
import { ArchiveTarget, isReplaceable, readArchive } from "../backup/archive.ts";
import { isBucket } from "../backup/bucket.ts";
import { bytesOf, copyTo, copyToStore, type Copied, type Copying } from "../backup/copy.ts";
import { filesOf, whileStill } from "../backup/pinned.ts";
import {
  backupsAt,
  expectElsewhere,
  storeAt,
  storeMadeAt,
  type BackupsAtPlace,
} from "../backup/store-at-place.ts";
import { restoreInto } from "../backup/restoration.ts";
import { madeMsOf, readStore } from "../backup/store.ts";
import { backupsIn, lineOf } from "../backup/stored-backups.ts";
import type { Call, Command } from "../command.ts";
import { isStream, outputAt, realPlace } from "../output-file.ts";
import { bytesNowAndThen, count, megabytes, nowAndThen } from "../terminal/progress.ts";
import { parseCount } from "../settings/values.ts";
import type { Terminal } from "../terminal/terminal.ts";

const standard = "-";

export const backup: Command = {
  words: ["backup"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [
    {
      name: "keep",
      placeholder: "NUMBER",
      description: "Then give up all older backups of this data folder in the FOLDER or bucket but so many",
    },
    {
      name: "force",
      description: "Replaces the FILE whatever it is; without it only an earlier backup",
    },
  ],
  description: "Copy all data, also while the server runs: to a tar archive, or what is new to a FOLDER/",
  exitCodes: { 0: "the backup is complete, and older ones have gone where --keep asked for that" },
  run: async (call) => {
    const { settings, operands, flags, terminal, clock } = call;
    const { folder } = settings;
    const destination = operands[0]!;
    const keep = flags.get("keep");
    goLast();
    const { list, newBytes, removed, trouble } = await whileStill(folder, (pinned) =>
      copied(call, destination, keep === undefined ? undefined : parseCount(keep, "--keep"), {
        disk: systemDisk,
        folder,
        files: pinned ?? filesOf(folder),
        isServed: pinned !== undefined,
        clock,
        onProgress: bytesNowAndThen(clock, terminal),
      }),
    ).finally(() => terminal.status(""));
    const gone = removed === 0 ? "" : `, ${count(removed, "older backup")} removed`;
    const line = `backed up ${totals(list)} to ${destination}, ${megabytes(newBytes)} of it new${gone}`;
    if (isStream(destination)) terminal.note(line);
    else terminal.print(line);
    if (trouble === undefined) return 0;
    terminal.note(`footfall: older backups could not be removed: ${trouble}`);
    return 2;
  },
};

export const restore: Command = {
  words: ["restore"],
  operands: ["FILE|-|FOLDER|s3://BUCKET"],
  flags: [
    {
      name: "list",
      description:
        "Print the backups in the FOLDER or bucket with their times and paths, the newest last, and end",
    },
  ],
  description: "Make an empty or new data folder from a backup, and say so when all of it is verified",
  details: [
    ["FOLDER", "The newest backup in it, and the same of s3://BUCKET"],
    [
      "FOLDER/….backup",
      "The backup with this list, one of those that --list prints; s3://BUCKET/….backup too",
    ],
  ],
  exitCodes: { 0: "the data folder is complete and verified" },
  run: async ({ settings, operands, flags, terminal, clock }) => {
    const source = operands[0]!;
    const stored = source === standard ? undefined : backupsAt(source);
    if (flags.has("list")) return printBackups(source, stored, terminal);
    const show = nowAndThen(clock, terminal);
    let bytesRead = 0;
    const list = await restoreInto(settings.folder, (put) => {
      const putAndShow = (name: string, bytes: Uint8Array) => {
        put(name, bytes);
        bytesRead += bytes.length;
        show(() => `${megabytes(bytesRead)} read`);
      };
      if (source === standard) return readArchive(terminal.input, putAndShow);
      if (stored !== undefined) return readStore(stored.store, putAndShow, stored.choose);
      return readArchive(fileChunks(source), putAndShow);
    }).finally(() => terminal.status(""));
    terminal.print(
      `restored ${totals(list)} to ${settings.folder}, as of ${new Date(list.madeMs).toISOString()}`,
    );
  },
};

async function printBackups(
  source: string,
  stored: BackupsAtPlace | undefined,
  terminal: Terminal,
): Promise<void> {
  if (stored === undefined)
    throw new Refusal(400, `--list: expected a folder or bucket with backups, got ${source}`);
  const { place } = stored.store;
  const backups = backupsIn((await stored.store.list()).keys());
  if (backups.length === 0) throw new Refusal(404, `${place} has no backup that is complete`);
  for (const backup of backups) {
    // A restore says why a list cannot be read.
    const madeMs = await madeMsOf(stored.store, backup).catch(() => listTimeMs(backup.list));
    terminal.print(lineOf(place, backup, madeMs));
  }
}

function copied(
  { random, settings, flags }: Call,
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
  if (!isStream(destination) && existsSync(destination) && !flags.has("force") && !isReplaceable(destination))
    throw new Refusal(
      400,
      `FILE: ${shown(destination)} exists and is no backup: another name, or --force to replace it`,
    );
  const inside = isStream(destination) ? undefined : dirname(realPlace(destination));
  return copyTo(({ madeMs }) => new ArchiveTarget(outputAt(destination, "FILE"), madeMs, inside), copying);
}

function totals(list: BackupList): string {
  return `${count(list.files.length, "file")} (${megabytes(bytesOf(list))}) up to record ${list.seq}`;
}
