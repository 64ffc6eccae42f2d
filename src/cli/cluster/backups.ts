/**
 * The backups of a cluster, which the node that sequences makes every hour, and what the stream lets go for them: all that
 * the backup before the newest one has. So a node that is fetching the newest finds in the stream what follows it. Where
 * nobody sequences, because NATS has no room, each node makes them: nothing else makes room.
 */
import type { ClusterNode } from "../../cluster/node.ts";
import { Refusal } from "../../core/refusal.ts";
import { decodeMessage } from "../../cluster/stream/message.ts";
import type { Stream } from "../../cluster/stream/stream.ts";
import { StreamStore } from "../../cluster/stream/stream-store.ts";
import type { RunningEngine } from "../../engine/running.ts";
import { systemClock, type Clock } from "../../lib/clock.ts";
import { listSeq } from "../../snapshot/backup-list.ts";
import { BackupSchedule } from "../backup/schedule.ts";
import { storeAt } from "../backup/store-at-place.ts";
import { backupsIn, newestOfCluster } from "../backup/stored-backups.ts";
import { placeOf, type StreamBeginning } from "./objects.ts";

const hourMs = 60 * 60_000;
/** Longer than it takes that another node sequences, or is heard. */
const vacantMs = 20_000;
/** A node may be fetching the older one while the newer one is made. */
const keep = 2;
/** A start waits so long for the place of backups. */
const listMs = 5_000;
/** A server of NATS that is cut off leads for ten seconds at most, and does not know what others store meanwhile. */
const staleMs = 12_000;
const againMs = 500;

/** Returns which part of the log a stream has. Throws Refusal for a stream that has something else. */
export async function beginningOf(stream: Stream): Promise<StreamBeginning> {
  const { incarnation, baseSeq } = stream.start;
  for (;;) {
    const { first, last } = await stream.range();
    if (last < first) return { incarnation, firstSeq: baseSeq + 1 };
    const bytes = await stream.message(first);
    const message = bytes && decodeMessage(bytes);
    if (message !== undefined) return { incarnation, firstSeq: message.firstSeq };
    if (bytes !== undefined) throw new Refusal(500, `message ${first} of the stream is damaged`);
    // It was let go since.
  }
}

/**
 * Throws Refusal 500 if a backup has more than the stream has for some seconds: what was acknowledged between would be lost, and
 * nobody would notice. A start goes on where the place of backups does not answer.
 */
export async function expectNotSetBack(objects: string, stream: Stream): Promise<void> {
  const place = placeOf(objects, stream.start);
  const list = async () => storeAt(place)?.list();
  const stored = await Promise.race([list(), Bun.sleep(listMs)]).catch(() => undefined);
  const backups = backupsIn(stored?.keys() ?? []);
  if (backups.length === 0) return;
  const { top, list: newest } = newestOfCluster(place, backups);
  const untilMs = systemClock.monotonicMs() + staleMs;
  let end = await endOf(stream);
  while (end !== undefined && end < listSeq(newest) && systemClock.monotonicMs() < untilMs) {
    await Bun.sleep(againMs);
    end = await endOf(stream);
  }
  if (end === undefined || end >= listSeq(newest)) return;
  throw new Refusal(
    500,
    `the stream was set back: it ends with record ${end}, and ${place}/${top}${newest} has more. Stop all nodes, and start the servers ` +
      "of NATS with the disks that they had. If these are lost, take the folder of a node that has more, or make one of that backup " +
      "by 'footfall restore BACKUP --data FOLDER': 'footfall cluster move --back --data FOLDER' makes it that of a single machine. " +
      "Then remove the stream, and move in again. To go on without what it has, remove that file",
  );
}

/** Returns the last record of a stream; undefined if the stream has let it go. */
async function endOf(stream: Stream): Promise<number | undefined> {
  const { last } = await stream.range();
  if (last === 0) return stream.start.baseSeq;
  const bytes = await stream.message(last);
  const message = bytes && decodeMessage(bytes);
  return message && message.firstSeq + message.count - 1;
}

export interface ClusterBackupOptions {
  readonly folder: string;
  /** The place of the cluster's backups. */
  readonly objects: string;
  readonly engine: RunningEngine;
  readonly stream: Stream;
  /** Whether this node makes them at the moment. */
  readonly isOn: () => boolean;
  readonly everyMs?: number;
}

/** Returns a function, to be called now and then, that says whether a node makes the backups at the moment. */
export function backupMaker(
  node: Pick<ClusterNode, "name" | "isSequencer" | "nodes">,
  clock: Clock,
): () => boolean {
  let sinceMs: number | undefined;
  return () => {
    const { name, isSequencer, nodes } = node;
    const nowMs = clock.monotonicMs();
    if (isSequencer || nodes.some((heard) => heard.isSequencer)) sinceMs = undefined;
    else sinceMs ??= nowMs;
    if (sinceMs === undefined || nowMs - sinceMs < vacantMs) return isSequencer;
    return nodes.some((heard) => heard.name === name && heard.maySequence === true);
  };
}

/** Makes backups from now on. */
export function startClusterBackups(options: ClusterBackupOptions): BackupSchedule {
  const { folder, objects, engine, stream, isOn, everyMs = hourMs } = options;
  const { clock, logger, random } = engine;
  const destination = placeOf(objects, stream.start);
  let older: number | undefined;
  const onMade = (record: number) => {
    if (older !== undefined)
      void new StreamStore({ stream, clock, random }).truncateBefore(older + 1).catch((error: unknown) => {
        logger.warn("the stream could not let go what the backups have", { error: String(error) });
      });
    older = record;
  };
  const pinFiles = () => engine.pinFiles();
  return new BackupSchedule({ folder, destination, everyMs, keep, clock, logger, pinFiles, isOn, onMade });
}
