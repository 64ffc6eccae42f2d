/**
 * Brings the data of a single machine into a cluster that is not there yet. The first backup of the cluster is that of its
 * folder, whole and read back; the stream, which goes on behind it, is made last. So whatever fails, there is no cluster.
 */
import { join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import type { Stream, StreamOptions } from "../../cluster/stream/stream.ts";
import { readManifest } from "../../engine/opening/check-folder.ts";
import { lockFolder } from "../../engine/opening/open.ts";
import { joined, placeOfCopy } from "../../engine/opening/shared-folder.ts";
import type { Clock } from "../../lib/clock.ts";
import { replaceFile, systemDisk } from "../../lib/disk/disk.ts";
import { acquireLock } from "../../lib/disk/lock.ts";
import type { Random } from "../../lib/random.ts";
import type { BackupList } from "../../snapshot/backup-list.ts";
import { encodeManifest, manifestName } from "../../snapshot/manifest.ts";
import { copyToStore } from "../backup/copy.ts";
import { filesOf, whileStill } from "../backup/pinned.ts";
import { storeMadeAt } from "../backup/store-at-place.ts";
import { readStore } from "../backup/store.ts";
import { newestOfCluster } from "../backup/stored-backups.ts";
import { checkedFolder } from "../checked-folder.ts";
import { placeOf } from "./objects.ts";

export interface MoveIn {
  readonly folder: string;
  /** The place of the cluster's backups. */
  readonly objects: string;
  readonly stream: StreamOptions;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives how many bytes are copied, and how many there are. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Returns the stream and the list of the backup. Throws Refusal, FolderRefused, LogDamage and DiskError. */
export async function moveIn(move: MoveIn): Promise<{ readonly stream: Stream; readonly list: BackupList }> {
  const { folder, objects, random } = move;
  const { Stream, streamName } = await import("../../cluster/stream/stream.ts");
  if ((await Stream.open(move.stream)) !== undefined)
    throw new Refusal(
      409,
      `there is a cluster already: choose another prefix, or remove its stream, ${streamName(move.stream)}, if nobody needs it`,
    );
  return whileStill(folder, async (pinned) => {
    if (pinned !== undefined)
      throw new Refusal(409, `${folder} is being served: stop the server, whose hits would be in no cluster`);
    // Its checkpoints name another stream, and every node would refuse the backup of them.
    if (placeOfCopy(systemDisk, folder) !== undefined)
      throw new Refusal(
        400,
        `${folder} is a node's copy of another stream: make it the folder of a single machine first, with ` +
          "'footfall cluster move --back'",
      );
    expectSound(folder);
    const incarnation = random.bytes(16).toHex();
    const store = storeMadeAt(placeOf(objects, { incarnation }));
    const files = filesOf(folder);
    const copying = { ...move, disk: systemDisk, files, isServed: false };
    const { list } = await copyToStore(store, Infinity, copying);
    await readStore(store, () => {}, newestOfCluster);
    const stream = await Stream.create(move.stream, {
      incarnation,
      folderId: list.folderId,
      baseSeq: list.seq,
    });
    if (stream.start.incarnation !== incarnation)
      throw new Refusal(409, "somebody else made the cluster meanwhile: it does not have this data");
    return { stream, list };
  });
}

/**
 * Makes the newest checkpoint of a folder that was moved in that of a copy, where it has all that the cluster begins with: no
 * other follows it before the stream has something.
 */
export function joinStream(folder: string, { start }: Stream): void {
  using _lock = lockFolder(folder, acquireLock);
  const name = manifestName(start.baseSeq);
  if (!systemDisk.list(folder).includes(name)) return;
  const manifest = readManifest(systemDisk, folder, name);
  replaceFile(systemDisk, join(folder, name), encodeManifest(joined(manifest, start)));
  systemDisk.syncDirectory(folder);
}

/** Throws Refusal with the first fault that `check` finds. */
export function expectSound(folder: string): void {
  const [fault] = checkedFolder(folder).faults;
  if (fault !== undefined) throw new Refusal(400, `${folder} is damaged, and was left as it is: ${fault}`);
}
