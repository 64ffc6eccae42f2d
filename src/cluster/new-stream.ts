/**
 * Begins a new cluster, which is a stream for nodes with empty folders, unless something says that there is one already: a wrong
 * prefix, or servers of NATS that lost their disks, would else have a second cluster that knows no website and is ready.
 */
import { placeOfCopy } from "../engine/opening/shared-folder.ts";
import { FolderRefused } from "../engine/refused.ts";
import { systemDisk } from "../lib/disk/disk.ts";
import type { Logger } from "../lib/log.ts";
import type { Random } from "../lib/random.ts";
import { isManifest } from "../snapshot/manifest.ts";
import { paceDefault, type Pace } from "./pace.ts";
import { heardNodes } from "./roster/roster.ts";
import { Stream, type StreamOptions } from "./stream/stream.ts";

/** A node says each round that it runs: one that does is heard within so many. */
const heardRounds = 2.5;

export interface NewStreamOptions {
  readonly random: Random;
  readonly logger: Logger;
  readonly pace?: Pace;
  readonly place?: ClusterPlace | undefined;
}

/** The place where a cluster has its backups, to find others in. Both reject with Refusal or DiskError. */
export interface ClusterPlace {
  /** Resolves to what is there of any cluster, in words; undefined if nothing is. */
  found(): Promise<string | undefined>;
  /** Notes that a cluster has begun, so that it is found before it has a backup. */
  noteBegun(incarnation: string): Promise<void>;
}

/**
 * Makes the stream of a new cluster, or opens it if another node was faster. Throws FolderRefused for a folder with data, or
 * where another cluster is known; Refusal 500, and what the place rejects with.
 */
export async function newStream(
  options: StreamOptions,
  folder: string,
  given: NewStreamOptions,
): Promise<Stream> {
  expectEmpty(folder);
  const { prefix } = options;
  const found = await foundOf(options, given);
  if (found !== undefined) {
    // Several nodes may begin at once: it is of the one that was faster, which has made the stream before all else.
    const made = await Stream.open(options);
    if (made !== undefined) return made;
    throw new FolderRefused(
      `these servers of NATS have no stream with the prefix ${prefix}, but ${found}: a second cluster, without data, would begin. ` +
        "Name the right servers and the right --nats-prefix. If the stream is lost, stop all nodes, and bring the folder of one into " +
        "a new cluster by 'footfall cluster move --back --data FOLDER' and 'footfall cluster move --data FOLDER'. For another " +
        "cluster, name an empty place with --objects and a prefix of its own",
    );
  }
  const { random, logger, place } = given;
  const id = () => random.bytes(16).toHex();
  const start = { incarnation: id(), folderId: id(), baseSeq: 0 };
  const stream = await Stream.create(options, start);
  const { incarnation } = stream.start;
  if (incarnation !== start.incarnation) return stream;
  logger.info("a new cluster begins", { prefix, incarnation });
  await place?.noteBegun(incarnation);
  return stream;
}

/** Throws FolderRefused for a folder that has data: a new stream would begin with nothing. */
function expectEmpty(folder: string): void {
  systemDisk.makeDirectory(folder);
  if (placeOfCopy(systemDisk, folder) !== undefined)
    throw new FolderRefused(
      `${folder} is a node's copy of a stream that these servers of NATS do not have: name the right ones, or the right prefix. ` +
        "If the stream is lost, 'footfall cluster move --back' makes a copy the folder of a single machine, and " +
        "'footfall cluster move' brings that into a new cluster",
    );
  if (systemDisk.list(folder).some(isManifest))
    throw new FolderRefused(
      `${folder} has data, but the cluster has no stream yet: bring it into the cluster with 'footfall cluster move', or ` +
        "choose an empty folder",
    );
}

/** Resolves to what is there of a cluster, in words. */
async function foundOf(
  options: StreamOptions,
  { pace = paceDefault, place }: NewStreamOptions,
): Promise<string | undefined> {
  const names = await heardNodes(options, heardRounds * pace.roundMs);
  if (names.length === 0) return place?.found();
  return `${names.join(", ")} ${names.length === 1 ? "runs" : "run"} with it`;
}
