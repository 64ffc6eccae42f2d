/**
 * The data folder of a node is a copy of what the log of its cluster says. Its checkpoints name the stream and the place in
 * it after which they go on; a folder of a single machine has its log in itself, up to where the stream begins.
 */
import { join } from "node:path";
import { NewerFormat } from "../../lib/decoding.ts";
import type { Disk } from "../../lib/disk/disk.ts";
import { decodeManifest, isManifest, type Manifest } from "../../snapshot/manifest.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import type { SharedLog, StreamPosition } from "../../wal/log-store.ts";
import { logStart } from "../../wal/position.ts";
import { replay, type Replayed, type ReplayOptions } from "../../wal/recovery.ts";
import { storedNames } from "../checkpoint/checkpoint-names.ts";
import { readLogAfter } from "../pinned-files.ts";
import { FolderRefused } from "../refused.ts";

type StreamOfLog = Pick<SharedLog, "incarnation" | "folderId" | "baseSeq">;

/** Returns the place in a stream after which a node's copy goes on; undefined for any other folder. Throws DiskError. */
export function placeOfCopy(disk: Disk, folder: string): Manifest["stream"] {
  return newestManifest(disk, folder)?.stream;
}

/**
 * Throws FolderRefused for a folder with data of its own, which no backup of the cluster may replace; and what `readLog` throws:
 * where a server was killed, its log alone has what it counted last.
 */
export function expectCopy(disk: Disk, folder: string, shared: StreamOfLog): void {
  disk.makeDirectory(folder);
  const manifest = newestManifest(disk, folder);
  if (manifest === undefined && disk.list(folder).some(isManifest))
    throw new FolderRefused(
      `${folder} has checkpoints, but none whose manifest can be read, so it may be the only one with its data: choose an empty ` +
        "folder, and see what 'footfall check' says of this one",
    );
  if (manifest === undefined) return;
  expectLog(folder, manifest, shared);
  const { nextSeq } = readLogAfter(disk, folder, manifest).position;
  if (nextSeq - 1 > shared.baseSeq) placeAfter(folder, manifest, nextSeq, shared);
}

/** Returns the newest manifest that can be read. */
function newestManifest(disk: Disk, folder: string): Manifest | undefined {
  for (const name of disk.list(folder).filter(isManifest).toReversed())
    try {
      return decodeManifest(disk.read(join(folder, name)), name, storedNames);
    } catch (error) {
      // A check of the folder says what is wrong with it.
      if (!(error instanceof SnapshotDamage || error instanceof NewerFormat)) throw error;
    }
  return undefined;
}

/** Returns the manifest of a copy as one that names no stream: a log in the folder goes on behind it. */
export function alone({ stream: _, names = {}, ...rest }: Manifest): Manifest {
  const { registry = [], ...others } = names;
  const left = registry.filter((name) => name !== "stream");
  return { ...rest, names: left.length === 0 ? others : { ...others, registry: left } };
}

/** Returns the manifest of a folder that was moved in as that of a copy, which goes on where the stream begins. */
export function joined({ names = {}, ...rest }: Manifest, { incarnation, baseSeq }: StreamOfLog): Manifest {
  const { registry = [], ...others } = names;
  const stream = { incarnation, ...placeBefore(baseSeq + 1) };
  return { ...rest, names: { ...others, registry: [...registry, "stream"] }, stream };
}

/** Throws FolderRefused for a folder whose log is not the one that it is to go on with. */
export function expectLog(folder: string, manifest: Manifest, shared: StreamOfLog | undefined): void {
  const { folderId, stream } = manifest;
  if (shared === undefined) {
    if (stream === undefined) return;
    throw new FolderRefused(
      `${folder} is a node's copy of a cluster's log, which is not in it: say with --nats where the cluster is, or make ` +
        "it the folder of a single machine with 'footfall cluster move --back'",
    );
  }
  if (folderId !== shared.folderId)
    throw new FolderRefused(
      `${folder} is not of this cluster: choose an empty folder, or bring its data into a new cluster with ` +
        `'footfall cluster move'${stream === undefined ? "" : ", once 'footfall cluster move --back' has made it a single machine's"}`,
    );
  if (stream !== undefined && stream.incarnation !== shared.incarnation)
    throw new FolderRefused(
      `${folder} is a copy of another log: the stream was made anew since. Choose an empty folder, or the stream's; ` +
        "'footfall cluster move --back' makes it the folder of a single machine, with all that it has",
    );
}

/** Replays the log in a folder; there is none in a copy. */
export function replayOf({ stream, seq }: Manifest, options: ReplayOptions): Replayed {
  if (stream === undefined) return replay(options);
  return { position: { ...logStart, nextSeq: seq + 1 }, records: 0, repairs: [] };
}

/** Returns the place in the stream up to which a folder is known; undefined for a single machine's. */
export function placeAfter(
  folder: string,
  { stream }: Manifest,
  nextSeq: number,
  shared: StreamOfLog | undefined,
): StreamPosition | undefined {
  if (shared === undefined || stream !== undefined) return stream;
  if (nextSeq - 1 !== shared.baseSeq)
    throw new FolderRefused(
      `${folder} has a log of its own up to record ${nextSeq - 1}, and the stream begins after ${shared.baseSeq}: it is no copy of what ` +
        "the cluster began with, and starts without --nats. For a node, choose an empty folder",
    );
  return placeBefore(nextSeq);
}

/** Returns the place before the first message of a stream. */
function placeBefore(nextSeq: number): StreamPosition {
  return { message: 0, nextSeq, checksum: 0, epoch: 0 };
}
