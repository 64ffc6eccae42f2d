/**
 * The place where a cluster keeps the newest backups of its nodes' copies, under the incarnation of its stream: what it
 * has no longer need stay in the stream. A node whose own copy ends before the stream begins starts from the newest one.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClusterPlace } from "../../cluster/new-stream.ts";
import { Refusal } from "../../core/refusal.ts";
import { awaitedName, decodeAwaited, type AwaitedList } from "../../engine/files/awaited-files.ts";
import { orRefused } from "../../engine/refused.ts";
import { AssertionError } from "../../lib/assert.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { listSeq, type BackupEntry } from "../../snapshot/backup-list.ts";
import { isManifest } from "../../snapshot/manifest.ts";
import { listSegments, logPath } from "../../wal/segment.ts";
import { filesOf } from "../backup/pinned.ts";
import { storeAt, storeMadeAt } from "../backup/store-at-place.ts";
import { storedName, type BackupStore } from "../backup/store.ts";
import { backupsIn, newestOfCluster, type StoredBackup } from "../backup/stored-backups.ts";
import { beginWith } from "./beginning.ts";
import { Fetching, type FetchingOptions } from "./fetching.ts";

/** The part of a log that a stream has. */
export interface StreamBeginning {
  /** Names the stream: one that is made anew under the same name is another. */
  readonly incarnation: string;
  /** The first record that it has, or the one that it will have. */
  readonly firstSeq: number;
}

/** The way out where the stream has no longer what no backup has. */
const wayOut =
  "If that is the right place, the stream has lost records that no backup has. Nodes that still run have them: mend the settings of the " +
  "stream, and start this node again after their next backup, which comes within an hour. If none takes hits any more, stop them in " +
  "order, bring back the folder that has the latest records by 'footfall cluster move --back --data FOLDER', remove the stream, and begin a new " +
  "cluster by 'footfall cluster move --data FOLDER'";

/** Returns the place of the backups of one stream. */
export function placeOf(objects: string, { incarnation }: Pick<StreamBeginning, "incarnation">): string {
  return `${objects.replace(/(.)\/+$/, "$1")}/${incarnation}`;
}

/** The file with the prefix of a cluster, below its incarnation. */
const clusterName = "cluster";

/** Returns the place of backups as a node looks at it that begins with an empty folder. */
export function clusterPlace(objects: string, prefix: string): ClusterPlace {
  return {
    async found() {
      const store = storeAt(objects);
      const names = [...((await store?.list())?.keys() ?? [])];
      const top = names.map((name) => name.slice(0, name.indexOf("/"))).find(isIncarnation);
      if (store === undefined || top === undefined) return undefined;
      const note = `${top}/${clusterName}`;
      const other = names.includes(note)
        ? Buffer.from(await store.read(note))
            .toString()
            .trim()
        : undefined;
      const which = other === undefined ? "a cluster" : `a cluster with the prefix ${other}`;
      return `${objects} is the place of ${which} (${top})`;
    },
    async noteBegun(incarnation) {
      const store = storeMadeAt(placeOf(objects, { incarnation }));
      await store.write(clusterName, Buffer.from(`${prefix}\n`));
      await store.sync();
    },
  };
}

function isIncarnation(name: string): boolean {
  return /^[0-9a-f]{32}$/.test(name);
}

export interface BringUp extends Pick<FetchingOptions, "clock" | "logger" | "retryMs"> {
  readonly folder: string;
  /** The place of the cluster's backups. */
  readonly objects: string | undefined;
  readonly stream: StreamBeginning;
}

/**
 * Brings the copy in `folder` to where the stream can continue it. If the stream can, the copy stays as it is; else it
 * becomes that of the newest backup, or of an earlier one if that cannot be read. Returns what fetches the files that
 * the copy still lacks, be it from now or from an earlier start; undefined if it lacks none. Throws Refusal,
 * FolderRefused, LogDamage and DiskError, and then leaves the folder as it was.
 */
export async function bringUp(bring: BringUp): Promise<Fetching | undefined> {
  const { folder, objects, stream, logger } = bring;
  const awaited = awaitedIn(folder);
  const seq = awaited?.seq ?? lastRecord(folder, stream.firstSeq);
  const isBehind = seq + 1 < stream.firstSeq;
  if (!isBehind && awaited === undefined) return undefined;
  const gap = isBehind
    ? `${folder} ends with record ${seq}, and the stream begins with record ${stream.firstSeq}`
    : `${folder} lacks files of its copy`;
  const advice = isBehind ? `. ${wayOut}` : "";
  if (objects === undefined)
    throw new Refusal(400, `${gap}: say with --objects where the backups of the cluster are${advice}`);
  const place = placeOf(objects, stream);
  const store = storeAt(place);
  if (!isBehind && awaited !== undefined) {
    const left = missingIn(folder, awaited);
    const gone = await goneFrom(store, left);
    if (gone === undefined) return new Fetching({ ...bring, place, list: awaited, left });
    logger.warn("a file that the copy lacks is in no backup any more: another backup is taken", {
      file: gone,
    });
  }
  if (store === undefined) throw new Refusal(404, `${gap}: there is no backup in ${place}${advice}`);
  const backups = backupsIn((await store.list()).keys());
  if (backups.length === 0)
    throw new Refusal(404, `${gap}: ${place} has no backup that is complete${advice}`);
  // The copy stays as it is: it may have more than that backup.
  const most = listSeq(newestOfCluster(place, backups).list);
  if (most + 1 < stream.firstSeq)
    throw new Refusal(500, `${gap}, but the newest backup in ${place} ends with record ${most}. ${wayOut}`);
  logger.info("starts from the newest backup of the cluster", { from: place, records: seq });
  const list = await takeNewest(bring, place, store, backups);
  logger.info("took over a backup of the cluster", { from: place, records: list.seq });
  return list.files.length === 0 ? undefined : new Fetching({ ...bring, place, list, left: list.files });
}

/** Takes the backup with most records that can be read. Throws what is wrong with the last one that was tried. */
async function takeNewest(
  { folder, stream, logger }: BringUp,
  place: string,
  store: BackupStore,
  backups: readonly StoredBackup[],
): Promise<AwaitedList> {
  const newest = newestOfCluster(place, backups);
  const others = backups.filter((other) => other !== newest && listSeq(other.list) + 1 >= stream.firstSeq);
  const inOrder = [newest, ...others.toSorted((a, b) => listSeq(b.list) - listSeq(a.list))];
  for (const [at, backup] of inOrder.entries())
    try {
      return await beginWith(folder, store, backup);
    } catch (error) {
      if (!(error instanceof Refusal) || at + 1 === inOrder.length) throw error;
      const text = "a backup of the cluster cannot be read: the one before it is taken";
      logger.warn(text, { error: error.message });
    }
  throw new AssertionError("there is a newest backup");
}

/** Returns the files that the copy of a folder lacks; undefined if it has all. A list that says nothing of the copy goes. */
function awaitedIn(folder: string): AwaitedList | undefined {
  const path = join(folder, awaitedName);
  if (!existsSync(path)) return undefined;
  const list = orRefused(() => decodeAwaited(systemDisk.read(path)), "choose an empty folder");
  if (systemDisk.list(folder).findLast(isManifest) === list.manifest) return list;
  systemDisk.remove(path);
  return undefined;
}

/** Returns the name of a file that no backup has any more. A place that does not answer may have all of them. */
async function goneFrom(
  store: BackupStore | undefined,
  files: readonly BackupEntry[],
): Promise<string | undefined> {
  const stored = await store?.list().catch(() => undefined);
  const names = stored && new Set(stored.keys().map((name) => name.slice(name.indexOf("/") + 1)));
  return names && files.find((entry) => !names.has(storedName(entry)))?.name;
}

/** A file takes its place in one step, so it is there if it has its length. */
function missingIn(folder: string, { files }: AwaitedList): BackupEntry[] {
  return files.filter(({ name, bytes }) => {
    const path = join(folder, name);
    return !existsSync(path) || systemDisk.size(path) !== bytes;
  });
}

/** Returns the last record that a folder has; 0 if it is new. The log is read only if its checkpoint is not enough. */
function lastRecord(folder: string, firstSeq: number): number {
  if (!existsSync(folder)) return 0;
  const newest = systemDisk.list(folder).findLast(isManifest);
  if (newest === undefined) return 0;
  const seq = Number.parseInt(newest, 10);
  const log = logPath(folder);
  const hasLog = existsSync(log) && listSegments(systemDisk, log).length > 0;
  return seq + 1 < firstSeq && hasLog ? filesOf(folder).seq : seq;
}
