/**
 * The place where a cluster keeps the newest backups of its nodes' copies, under the incarnation of its stream: what it
 * has no longer need stay in the stream. A node whose own copy ends before the stream begins starts from the newest one.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import type { Logger } from "../../lib/log.ts";
import { isManifest } from "../../snapshot/manifest.ts";
import { listSegments } from "../../wal/segment.ts";
import { filesOf } from "../backup/pinned.ts";
import { storeAt } from "../backup/store-at-place.ts";
import { replaceCopy } from "../backup/restoration.ts";
import { readStore } from "../backup/store.ts";
import { newestOfCluster } from "../backup/stored-backups.ts";

/** The part of a log that a stream has. */
export interface StreamBeginning {
  /** Names the stream: one that is made anew under the same name is another. */
  readonly incarnation: string;
  /** The first record that it has, or the one that it will have. */
  readonly firstSeq: number;
}

/** Returns the place of the backups of one stream. */
export function placeOf(objects: string, { incarnation }: Pick<StreamBeginning, "incarnation">): string {
  return `${objects.replace(/(.)\/+$/, "$1")}/${incarnation}`;
}

/**
 * Has the copy in `folder` be one after which the stream goes on. Changes nothing if it is; else it becomes that of the
 * newest backup. Throws Refusal, FolderRefused, LogDamage and DiskError; the folder is as it was then.
 */
export async function bringUp(
  folder: string,
  objects: string | undefined,
  stream: StreamBeginning,
  logger: Logger,
): Promise<void> {
  const seq = lastRecord(folder, stream.firstSeq);
  if (seq + 1 >= stream.firstSeq) return;
  const gap = `${folder} ends with record ${seq}, and the stream begins with record ${stream.firstSeq}`;
  if (objects === undefined)
    throw new Refusal(400, `${gap}: say with --objects where the backups of the cluster are`);
  const place = placeOf(objects, stream);
  const store = storeAt(place);
  if (store === undefined) throw new Refusal(404, `${gap}: there is no backup in ${place}`);
  logger.info("starts from the newest backup of the cluster", { from: place, records: seq });
  const list = await replaceCopy(folder, (put) => readStore(store, put, newestOfCluster));
  logger.info("took over a backup of the cluster", { from: place, records: list.seq });
}

/** Returns the last record that a folder has; 0 if it is new. The log is read only if its checkpoint is not enough. */
function lastRecord(folder: string, firstSeq: number): number {
  if (!existsSync(folder)) return 0;
  const newest = systemDisk.list(folder).findLast(isManifest);
  if (newest === undefined) return 0;
  const seq = Number.parseInt(newest, 10);
  const log = join(folder, "wal");
  const hasLog = existsSync(log) && listSegments(systemDisk, log).length > 0;
  return seq + 1 < firstSeq && hasLog ? filesOf(folder).seq : seq;
}
