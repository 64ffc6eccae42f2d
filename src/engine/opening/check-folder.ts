/**
 * Reads all of a data folder and says what is wrong with it: every length and checksum, the log, every rule that the
 * state keeps, and facts against the rows that they sum up. Nothing is changed.
 */
import { join } from "node:path";
import { AssertionError } from "../../lib/assert.ts";
import { NewerFormat } from "../../lib/decoding.ts";
import { DiskError, type Disk } from "../../lib/disk/disk.ts";
import { GarbageBound } from "../../lib/memory/garbage.ts";
import type { LogRecord } from "../../record/record.ts";
import { compareFacts } from "../../facts/making/compare.ts";
import { readSite } from "../../facts/making/job.ts";
import { lookUps } from "../../query/names/look-ups.ts";
import { readListed, type FilesOfMoment } from "../../snapshot/backup-list.ts";
import { chunkOfFacts } from "../../snapshot/facts-name.ts";
import { decodeManifest, isManifest, manifestName, type Manifest } from "../../snapshot/manifest.ts";
import { SnapshotDamage } from "../../snapshot/section.ts";
import { directoriesOf } from "../../snapshot/write-checkpoint.ts";
import { LogDamage } from "../../wal/damage.ts";
import { listSegments, logPath, logPrefix } from "../../wal/segment.ts";
import { storedNames } from "../checkpoint/checkpoint-names.ts";
import type { CheckpointFiles } from "../checkpoint/checkpoint.ts";
import type { State } from "../checkpoint/state.ts";
import { whyNotNew } from "./new-folder.ts";
import { advice as files, FolderRefused } from "../refused.ts";
import { loadMoment, readLogAfter } from "../pinned-files.ts";

const advice = {
  file: `${files.file}. Or restore a backup, or see what 'footfall repair' can keep; ${files.ofNode}`,
  state:
    "restore a backup of the folder, and report this: it is a fault of the program or of the machine's memory",
  facts: "remove the file: the server makes it again",
  newer: "check it with that version",
} as const;

/** Memory of which a sixteenth may be garbage: each file that was read, and what was made of it, is such. */
const garbageOfBytes = 256 * 1024 * 1024;

export interface CheckOptions {
  readonly disk: Disk;
  readonly folder: string;
  /**
   * The files that a running server keeps meanwhile; undefined for a folder that nobody serves, of which all files are
   * read.
   */
  readonly files: FilesOfMoment | undefined;
  /** Receives each fault as a sentence, with the file, the place in it and what to do. */
  readonly onFault: (fault: string) => void;
  /** Receives how many bytes were compared so far, and how many there are. */
  readonly onProgress: (done: number, total: number) => void;
}

export interface Checked {
  readonly files: number;
  readonly bytes: number;
  /** The last record of the log. */
  readonly seq: number;
  /** Whether bytes follow it that are no whole batch, which a crash explains. */
  readonly isTorn: boolean;
  /** The files that nothing needs, in a sound folder that nobody serves. */
  readonly unnamed: readonly string[];
}

/** Throws DiskError, but for a file that is missing. */
export function checkFolder(options: CheckOptions): Checked {
  const check = new FolderCheck(options);
  const manifests = check.manifests();
  check.compareFiles(manifests);
  const seq = check.checkState(manifests);
  const unnamed =
    check.sound && options.files === undefined ? unnamedFiles(options, manifests, check.compared) : [];
  return { files: check.compared.size, bytes: check.bytes, seq, isTorn: check.isTorn, unnamed };
}

class FolderCheck {
  /** The names of the files that were compared with their checksums. */
  readonly compared = new Set<string>();
  bytes = 0;
  isTorn = false;
  sound = true;
  private readonly faults = new Set<string>();

  constructor(private readonly options: CheckOptions) {}

  /** Returns the manifests that can be read, the oldest first. */
  manifests(): Manifest[] {
    const { disk, folder, files } = this.options;
    const names = files === undefined ? disk.list(folder).filter(isManifest) : [files.manifest];
    const reason = names.length === 0 ? whyNotNew(disk, folder) : undefined;
    if (reason !== undefined) this.report(new FolderRefused(reason), advice.state);
    this.sound = reason === undefined;
    return names.flatMap((name) => this.found(advice.file, () => readManifest(disk, folder, name)) ?? []);
  }

  compareFiles(manifests: readonly Manifest[]): void {
    const { disk, folder, onProgress } = this.options;
    const entries = new Map(manifests.flatMap(({ files }) => files.map((entry) => [entry.name, entry])));
    const total = entries.values().reduce((sum, { bytes }) => sum + bytes, 0);
    const garbage = new GarbageBound(garbageOfBytes);
    for (const entry of entries.values()) {
      this.found(advice.file, () => readListed(disk, folder, entry));
      this.compared.add(entry.name);
      onProgress((this.bytes += entry.bytes), total);
      garbage.look();
    }
  }

  /** Loads the state as a start does if all files are sound, reads the log once, and returns its last record. */
  checkState(manifests: readonly Manifest[]): number {
    const { disk, folder, files } = this.options;
    const newest = manifests.at(-1);
    if (newest === undefined) return 0;
    const loaded = this.sound
      ? this.found(advice.state, () => loadMoment(disk, folder, { manifest: manifestName(newest.seq) }))
      : undefined;
    // The facts are those of the chunks as they are in the checkpoint.
    if (loaded !== undefined)
      for (const damage of damagedFacts(disk, folder, loaded)) this.report(damage, advice.facts);
    const apply = (record: LogRecord, seq: number) => {
      if (seq > newest.seq) loaded?.state.apply(record);
    };
    // The log after the oldest checkpoint has that after the others in it.
    const log = this.found(advice.file, () => {
      // A copy has no log: its newest checkpoint is all that it has.
      const oldest = newest.stream === undefined ? (manifests[0] ?? newest) : newest;
      const read = readLogAfter(disk, folder, { ...newest, seq: oldest.seq }, apply, files?.log);
      // This says so if the log ends before the newest checkpoint does.
      if (read.position.nextSeq <= newest.seq) readLogAfter(disk, folder, newest);
      return read;
    });
    if (log === undefined)
      for (const manifest of manifests.slice(1))
        this.found(advice.file, () => readLogAfter(disk, folder, manifest));
    if (log === undefined || loaded === undefined) return 0;
    this.isTorn = log.repairs.length > 0;
    for (const entry of loaded.state.namedFiles) {
      if (!this.compared.has(entry.name)) this.found(advice.file, () => readListed(disk, folder, entry));
      this.compared.add(entry.name);
    }
    const seq = log.position.nextSeq - 1;
    this.found(advice.state, () => {
      loaded.state.check();
      if (files !== undefined && files.seq !== seq)
        throw new LogDamage(
          logPath(folder),
          0,
          `the log ends with record ${seq}, not ${files.seq}`,
          advice.state,
        );
    });
    return seq;
  }

  /** Returns the result of `read`, or reports the fault that it throws. */
  private found<T>(advised: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.report(error, advised);
      this.sound = false;
      return undefined;
    }
  }

  private report(error: unknown, advised: string): void {
    const fault = faultOf(error, advised);
    // Two checkpoints may name one file, and have one log.
    if (!this.faults.has(fault)) this.options.onFault(fault);
    this.faults.add(fault);
  }
}

/** Reads a manifest. Throws SnapshotDamage, NewerFormat and DiskError. */
export function readManifest(disk: Disk, folder: string, name: string): Manifest {
  return decodeManifest(disk.read(join(folder, name)), name, storedNames);
}

/** Yields what is wrong with each file of facts that differs from the rows of its chunk. */
export function* damagedFacts(
  disk: Disk,
  folder: string,
  { state, files }: { readonly state: State; readonly files: CheckpointFiles },
): Generator<Error> {
  const garbage = new GarbageBound(garbageOfBytes);
  for (const site of state.store.sites.values()) {
    const { site: increments, chunks } = files.filesForFacts(site);
    if (chunks.length === 0) continue;
    const own = readSite(disk, folder, increments);
    for (const chunk of chunks) {
      try {
        compareFacts(disk, folder, own, chunk, lookUps);
      } catch (error) {
        const isDamage = [SnapshotDamage, NewerFormat, DiskError].some((kind) => error instanceof kind);
        if (!isDamage) throw error;
        yield error as Error;
      }
      garbage.look();
    }
  }
}

/** Returns the files of checkpoints and of the log that nothing needs: a crash may leave some. */
function unnamedFiles(
  { disk, folder }: CheckOptions,
  manifests: readonly Manifest[],
  named: ReadonlySet<string>,
): string[] {
  const isNamed = (name: string) => named.has(name) || named.has(chunkOfFacts(name) ?? "");
  const top = disk.list(folder);
  const segments = listSegments(disk, logPath(folder));
  const fromSeq = (manifests[0]?.seq ?? 0) + 1;
  const first = segments.findLastIndex(({ firstSeq }) => firstSeq <= fromSeq);
  return [
    ...top.filter((name) => name.endsWith(".state")),
    ...directoriesOf(disk, folder, top).flatMap((directory) =>
      disk.list(join(folder, directory)).map((name) => `${directory}/${name}`),
    ),
    ...segments.slice(0, Math.max(0, first)).map(({ name }) => `${logPrefix}${name}`),
  ].filter((name) => !isNamed(name));
}

/** Returns what is wrong as a sentence; throws an error that is no fault of the folder. */
function faultOf(error: unknown, advised: string): string {
  if (error instanceof LogDamage || error instanceof FolderRefused) return error.message;
  if (error instanceof NewerFormat) return `${error.message}; ${advice.newer}`;
  if (error instanceof SnapshotDamage) return `${error.message}; ${advised}`;
  if (error instanceof AssertionError) return `the state breaks a rule: ${error.message}; ${advised}`;
  if (error instanceof DiskError && error.code !== "EMFILE") return `${error.message}; ${advised}`;
  throw error;
}
