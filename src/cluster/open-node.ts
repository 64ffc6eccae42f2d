/** Opens the stream of a cluster, and on it a node: an engine on a folder of its own, which follows or appends. */
import { hostname } from "node:os";
import { join } from "node:path";
import { openEngine, type OpenOptions } from "../engine/open.ts";
import { FolderRefused } from "../engine/refused.ts";
import type { RunningEngine } from "../engine/running.ts";
import { replaceFile, systemDisk } from "../lib/disk.ts";
import type { Random } from "../lib/random.ts";
import { isManifest } from "../snapshot/manifest.ts";
import type { SharedLog } from "../wal/log-store.ts";
import type { SyncSettings } from "./nats-settings.ts";
import { recordLevel, whyNotYet } from "./record-level.ts";
import { Roster } from "./roster.ts";
import { paceDefault, RunningNode, type Pace } from "./running-node.ts";
import { Stream, type StreamOptions } from "./stream.ts";
import { expectSync } from "./sync-check.ts";
import { StreamStore } from "./stream-store.ts";

/** The file in a data folder with the name of its node. */
const nameFile = "node";

/**
 * Opens the stream. A new one is made only for a folder without data. Throws FolderRefused if there is none for a folder
 * that has some.
 */
export async function openStream(options: StreamOptions, folder: string, random: Random): Promise<Stream> {
  const found = await Stream.open(options);
  if (found !== undefined) return found;
  systemDisk.makeDirectory(folder);
  if (systemDisk.list(folder).some(isManifest))
    throw new FolderRefused(
      `${folder} has data, but the cluster has no stream yet: bring it into the cluster with 'footfall cluster move', or ` +
        "choose an empty folder",
    );
  const id = () => random.bytes(16).toHex();
  return Stream.create(options, { incarnation: id(), folderId: id(), baseSeq: 0 });
}

export interface NodeOptions extends StreamOptions {
  readonly stream: Stream;
  readonly version: string;
  /** How it is known that the servers sync every write. */
  readonly sync: SyncSettings;
  readonly engine: Omit<OpenOptions, "shared">;
  readonly pace?: Pace;
}

export interface OpenedNode {
  readonly engine: RunningEngine;
  readonly node: RunningNode;
}

/** Opens a node on the copy in its folder, which may be behind. Throws what `openEngine` and `expectSync` throw. */
export async function openNode(options: NodeOptions): Promise<OpenedNode> {
  const { stream, connection, prefix, pace = paceDefault } = options;
  const { clock, random, folder, rowsMonths, logger } = options.engine;
  if (rowsMonths !== undefined)
    throw new FolderRefused("FOOTFALL_ROWS is for a single machine: the nodes of a cluster keep all rows");
  await expectSync({ ...options.sync, stream, connection, logger });
  const roster = new Roster(connection, prefix, clock);
  let store: StreamStore | undefined;
  let node: RunningNode | undefined;
  const shared: SharedLog = {
    ...stream.start,
    mayTake: (record) => whyNotYet(record, roster.level(recordLevel)),
    open: (position) => {
      const onAppended = (failure: Error | null) => node?.appended(failure);
      store = new StreamStore({ stream, clock, random, position, onAppended, ...pace });
      return store;
    },
  };
  const engine = await openEngine({ ...options.engine, shared });
  const name = nodeName(folder, random);
  node = new RunningNode({ ...options, pace, name, engine, roster, store: store as unknown as StreamStore });
  return { engine, node };
}

/**
 * Returns the name of this process as a node: that of the folder, which is made once, and a part of its own. Answers and the
 * lease are for one process, also where somebody has copied the folder, and for none that came after it.
 */
function nodeName(folder: string, random: Random): string {
  return `${folderName(folder, random)}-${random.bytes(3).toHex()}`;
}

function folderName(folder: string, random: Random): string {
  const path = join(folder, nameFile);
  if (systemDisk.list(folder).includes(nameFile)) return Buffer.from(systemDisk.read(path)).toString().trim();
  // It becomes a part of subjects.
  const name = `${hostname().replace(/[^\w-]/g, "-")}-${random.bytes(3).toHex()}`;
  replaceFile(systemDisk, path, Buffer.from(`${name}\n`));
  systemDisk.syncDirectory(folder);
  return name;
}
