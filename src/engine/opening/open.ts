/**
 * Turns a folder into a running engine: locks it, reads the newest good checkpoint, and replays the log after it. A
 * folder that is damaged in a way no crash can explain is refused and left as it is.
 */
import { join } from "node:path";
import type { Disk } from "../../lib/disk/disk.ts";
import { LockHeld, type Lock } from "../../lib/disk/lock.ts";
import { MemoryBudget } from "../../lib/memory/memory-budget.ts";
import type { LogRecord } from "../../record/record.ts";
import { deletes, isNews } from "../../record/traits.ts";
import { readListed } from "../../snapshot/backup-list.ts";
import { decodeManifest, manifestName, type FileEntry, type Manifest } from "../../snapshot/manifest.ts";
import { MappedFiles } from "../../snapshot/mapped-files.ts";
import { readNewest } from "../../snapshot/read-checkpoint.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { removeOthers } from "../../snapshot/write-checkpoint.ts";
import { monthFiles } from "../../store/state/months.ts";
import { logPath, removeSegmentsBefore } from "../../wal/segment.ts";
import { storedNames, websiteOf } from "../checkpoint/checkpoint-names.ts";
import { CheckpointFiles } from "../checkpoint/checkpoint.ts";
import type { State } from "../checkpoint/state.ts";
import { awaitedName } from "../files/awaited-files.ts";
import { systemIo, type EngineIo } from "../checkpoint/io.ts";
import { workerMemory, ownMemory } from "../options/memory-plan.ts";
import { smallRowsDefault } from "../../query-worker/own-thread.ts";
import { writePlanned } from "../files/planned-checkpoint.ts";
import type { ClockTrust, EngineOptions, OpenOptions, Recovered } from "../options/options.ts";
import { FolderHold } from "../files/folder-hold.ts";
import { advice, FolderInUse, FolderRefused, orRefused } from "../refused.ts";
import { lockName, whyNotNew } from "./new-folder.ts";
import { RunningEngine } from "../running.ts";
import { TrustedClock } from "../upkeep/trusted-clock.ts";
import { expectLog, placeAfter, replayOf } from "./shared-folder.ts";

/** The file in a data folder that a repair is changing. */
export const repairingName = "repairing";

const defaults = {
  retentionMonths: undefined,
  rowsMonths: undefined,
  memoryBytes: Infinity,
  loadsPerNetwork: Infinity,
  io: systemIo,
  checkpointRecords: 100_000,
  fileMinimums: undefined,
  smallRows: smallRowsDefault,
  shared: undefined,
  awaited: undefined,
  onLost: () => {},
  logElsewhere: undefined,
} satisfies Partial<EngineOptions>;

/** Opens the engine of a folder. Throws FolderRefused, LogDamage or DiskError; the folder is as it was then. */
export async function openEngine(given: OpenOptions): Promise<RunningEngine> {
  const options: EngineOptions = {
    ...defaults,
    ...given,
    nameBytes: () => Math.max(given.nameBytes ?? Infinity, given.shared?.nameBytes?.() ?? 0),
    memory: new MemoryBudget(ownMemory(given.memoryBytes ?? defaults.memoryBytes).bytes),
  };
  const { io, folder } = options;
  // The replay syncs the directory before anything is acknowledged.
  io.disk.makeDirectory(logPath(folder));
  const lock = lockFolder(folder, (path) => io.lock(path));
  const hold = new FolderHold(lock, folder, options.onLost);
  try {
    const recovered = recover(options);
    return new RunningEngine(options, {
      ...recovered,
      hold,
      trusted: startClock(options, hold, recovered.lastMs),
    });
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** `acquire` locks a folder by the path of its file. Throws FolderRefused if another process has it locked. */
export function lockFolder<T extends Lock>(folder: string, acquire: (path: string) => T): T {
  try {
    return acquire(join(folder, lockName));
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error;
    throw new FolderInUse(
      `${folder} is in use by ${error.process}: stop it, or choose another folder. A server that is starting takes commands once it listens`,
    );
  }
}

/** Throws FolderRefused if a repair of the folder was interrupted. */
export function expectNoRepair(disk: Disk, folder: string): void {
  if (disk.list(folder).includes(repairingName))
    throw new FolderRefused(
      `a repair of ${folder} was interrupted: run 'footfall repair --accept-loss' again`,
    );
}

/** Throws FolderRefused if a folder lacks files that its node was still fetching. */
export function expectAllFiles(disk: Disk, folder: string): void {
  if (disk.list(folder).includes(awaitedName))
    throw new FolderRefused(
      `${folder} is a node's copy that lacks files: start the node with --nats and --objects, and wait until its log says ` +
        "that all files of the copy are there",
    );
}

function startClock(options: EngineOptions, hold: FolderHold, lastMs: number): ClockTrust | undefined {
  const { retentionMonths, rowsMonths } = options;
  if (retentionMonths === undefined && rowsMonths === undefined) return undefined;
  return new TrustedClock({ ...options, lastMs, isOurs: () => hold.whyNot() === undefined });
}

function recover(options: EngineOptions): Omit<Recovered, "hold" | "trusted"> {
  const { io, folder, logger, clock } = options;
  const startMs = clock.monotonicMs();
  expectNoRepair(io.disk, folder);
  if (options.awaited === undefined) expectAllFiles(io.disk, folder);
  const { manifests, base, damages, state, files, removeOlder, skippedSeq, ...saved } =
    loadCheckpoint(options);
  const manifest = manifests.at(-1) as Manifest;
  expectLog(folder, manifest, options.shared);
  let { lastMs, purgeDue } = saved;
  let hasNews = false;
  const folderId = Uint8Array.fromHex(manifest.folderId);
  const onRecord = (record: LogRecord) => {
    lastMs = Math.max(lastMs, record.timeMs);
    purgeDue ||= deletes(record);
    hasNews ||= isNews(record);
    state.apply(record);
  };
  const { position, records, repairs } = orRefused(
    () =>
      replayOf(manifest, {
        disk: io.disk,
        directory: logPath(folder),
        folderId,
        fromSeq: manifest.seq + 1,
        knownSeq: skippedSeq,
        onRecord,
      }),
    "restore it from a backup of the folder, or see what 'footfall repair' can keep",
  );
  const place = placeAfter(folder, manifest, position.nextSeq, options.shared);
  // This must not happen earlier: a replay that is refused leaves everything as it is.
  expectSums(options, state, base === undefined ? manifests : [base, ...manifests]);
  removeOlder();
  files.chunks.releaseSealed();
  const { sealed } = files.chunks.bytes;
  const { bytes, cache } = workerMemory(options.memoryBytes, sealed);
  const mapped = bytes - cache;
  if (sealed > mapped)
    logger.warn(
      "the files of finished months do not fit into the memory setting: questions about long periods are slower",
      {
        bytes: Math.floor(mapped),
        needed: sealed,
      },
    );
  for (const { copy, ...repair } of repairs) {
    const done =
      copy === undefined ? "stay where they are, because the disk is full" : "were moved to a copy";
    const text = `the end of the log was incomplete after a crash: the incomplete bytes ${done}`;
    logger.warn(text, { ...repair, ...(copy && { copy }) });
  }
  const ms = Math.round(clock.monotonicMs() - startMs);
  logger.debug("recovered", { records: position.nextSeq - 1, replayed: records, ms });
  return { folderId, state, files, position, place, lastMs, hasNews, purgeDue, manifests, base, damages };
}

function loadCheckpoint(options: EngineOptions) {
  const { io, folder, logger } = options;
  const { checkpoint, previous, damaged, partial, skippedSeq } = newestCheckpoint(options);
  if (checkpoint === undefined) return { ...begin(options), removeOlder: () => {}, skippedSeq };
  const manifests = previous === undefined ? [checkpoint.manifest] : [previous, checkpoint.manifest];
  const { alone, ...loaded } = orRefused(
    () => CheckpointFiles.load(checkpoint, mappedFiles(options), options.fileMinimums),
    advice.folder,
  );
  const { unavailable } = loaded.state;
  // The newest checkpoint names the file and the damage that is worth reading.
  const damages = new Map(damaged.toReversed().map(({ file, message }) => [websiteOf(file), message]));
  for (const { file, message } of damaged)
    if (!unavailable.has(websiteOf(file)))
      logger.warn("a damaged checkpoint was skipped and an older one is used", { error: message });
  if (partial?.unavailable !== undefined && unavailable.size === 0)
    logger.info("the files of unavailable websites are whole again: all records since are replayed");
  const base = unavailable.size === 0 ? undefined : baseOf(io, folder, checkpoint.manifest);
  // A crash may have come between a checkpoint and the removal of older files.
  const removeOlder = () => {
    const kept = base === undefined ? manifests : [base, ...manifests];
    removeOthers(io.disk, folder, kept, loaded.state.namedFiles);
    removeSegmentsBefore(io.disk, logPath(folder), Math.min(...kept.map(({ seq }) => seq)) + 1);
  };
  const purgeDue = alone && previous !== undefined && previous.seq !== base?.seq;
  return { manifests, base, damages, ...loaded, purgeDue, removeOlder, skippedSeq };
}

function newestCheckpoint({ io, folder, awaited }: EngineOptions) {
  const mayLack = ({ name }: FileEntry) => !Number.isNaN(websiteOf(name));
  return orRefused(
    () => readNewest(io.disk, folder, storedNames, mayLack, awaited?.names),
    `no checkpoint in ${folder} is whole: ${advice.folder}`,
  );
}

/**
 * Throws FolderRefused unless the sums of each month are whole that only the log names: its rows are in the checkpoints still,
 * and the next one removes them.
 */
function expectSums({ io, folder }: EngineOptions, { store }: State, manifests: readonly Manifest[]): void {
  const named = new Set(manifests.flatMap(({ files }) => files.map(({ name }) => name)));
  for (const entry of monthFiles(store.sites))
    if (!named.has(entry.name)) orRefused(() => readListed(io.disk, folder, entry), advice.file);
}

/** Returns the last checkpoint that has the websites of which this one has nothing. */
function baseOf({ disk }: EngineIo, folder: string, manifest: Manifest): Manifest {
  const { since = manifest.seq } = manifest.unavailable ?? {};
  const name = manifestName(since);
  return orRefused(
    () => decodeManifest(disk.read(join(folder, name)), name, storedNames),
    `websites that are unavailable need it: restore it from a backup, or see what 'footfall repair' can keep; ${advice.ofNode}`,
  );
}

function mappedFiles({ io, folder, memory, clock, logger }: EngineOptions): MappedFiles {
  const onDamage = ({ message }: SnapshotDamage) =>
    logger.error(
      "a file is damaged; questions and hits that need it fail until it is restored from a backup",
      {
        error: message,
      },
    );
  return new MappedFiles({ disk: io.disk, folder, budget: memory, clock, onDamage });
}

/** Creates a folder's first checkpoint, which is empty and gives the folder its id. */
function begin(options: EngineOptions) {
  const { io, folder, random } = options;
  const reason = whyNotNew(io.disk, folder);
  if (reason !== undefined) throw new FolderRefused(reason);
  const folderId = options.shared?.folderId ?? random.bytes(16).toHex();
  const { state, lastMs, files } = CheckpointFiles.empty(
    folderId,
    mappedFiles(options),
    options.fileMinimums,
  );
  const { checkpoint, settle } = files.collect(0, lastMs, false);
  // There is next to nothing to write: a thread of its own would take ten times as long to start.
  const manifest = writePlanned(io.disk, folder, checkpoint);
  settle(manifest);
  const damages: ReadonlyMap<number, string> = new Map();
  return { manifests: [manifest], base: undefined, damages, state, lastMs, files, purgeDue: false };
}
