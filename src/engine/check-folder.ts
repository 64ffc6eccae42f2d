/**
 * Reads all of a data folder and says what is wrong with it: every length and checksum, the log, every rule that the
 * state keeps, and facts against the rows that they sum up. Nothing is changed.
 */
import { join } from "node:path";
import { AssertionError } from "../lib/assert.ts";
import { NewerFormat } from "../lib/decoding.ts";
import { DiskError, type Disk } from "../lib/disk.ts";
import type { LogRecord } from "../record/record.ts";
import { compareFacts } from "../facts/compare.ts";
import { readSite } from "../facts/job.ts";
import { readListed } from "../snapshot/backup-list.ts";
import { decodeManifest, isManifest, type Manifest } from "../snapshot/manifest.ts";
import { SnapshotDamage } from "../snapshot/section.ts";
import { LogDamage } from "../wal/damage.ts";
import { storedNames } from "./checkpoint/checkpoint-names.ts";
import type { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import type { State } from "./checkpoint/state.ts";
import { filesAtRest, loadMoment, readLogAfter, type FilesOfMoment } from "./pinned-files.ts";

const advice = {
  file: "put the same file back from a backup, in which it has the same name and content, or restore a backup",
  state:
    "restore a backup of the folder, and report this: it is a fault of the program or of the machine's memory",
  facts: "remove the file: the server makes it again",
  newer: "check it with that version",
} as const;

export interface CheckOptions {
  readonly disk: Disk;
  readonly folder: string;
  /** The files that a running server keeps meanwhile; undefined for a folder that nobody serves: all its files. */
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
}

/** Throws DiskError, but for a file that is missing. */
export function checkFolder(options: CheckOptions): Checked {
  const check = new FolderCheck(options);
  const manifests = check.manifests();
  check.compareFiles(manifests);
  if (options.files === undefined) for (const manifest of manifests) check.readLog(manifest);
  const seq = check.checkState();
  return { files: check.compared.size, bytes: check.bytes, seq, isTorn: check.isTorn };
}

class FolderCheck {
  /** The names of the files that were compared with their checksums. */
  readonly compared = new Set<string>();
  bytes = 0;
  isTorn = false;
  private readonly faults = new Set<string>();
  private sound = true;

  constructor(private readonly options: CheckOptions) {}

  manifests(): Manifest[] {
    const { disk, folder, files } = this.options;
    const names = files === undefined ? disk.list(folder).filter(isManifest) : [files.manifest];
    return names.flatMap(
      (name) =>
        this.found(advice.file, () => decodeManifest(disk.read(join(folder, name)), name, storedNames)) ?? [],
    );
  }

  compareFiles(manifests: readonly Manifest[]): void {
    const { disk, folder, onProgress } = this.options;
    const entries = new Map(manifests.flatMap(({ files }) => files.map((entry) => [entry.name, entry])));
    const total = entries.values().reduce((sum, { bytes }) => sum + bytes, 0);
    for (const entry of entries.values()) {
      this.found(advice.file, () => readListed(disk, folder, entry));
      this.compared.add(entry.name);
      onProgress((this.bytes += entry.bytes), total);
    }
  }

  readLog(manifest: Manifest): void {
    this.found(advice.file, () => readLogAfter(this.options.disk, this.options.folder, manifest));
  }

  /** Loads the state as a start does, if everything so far is sound, and returns its last record. */
  checkState(): number {
    if (!this.sound) return 0;
    const { disk, folder } = this.options;
    const seq = this.found(advice.state, () => {
      const moment = this.options.files ?? filesAtRest(disk, folder);
      const { manifest, state, files } = loadMoment(disk, folder, moment);
      // The facts are those of the chunks as they are in the checkpoint.
      this.checkFacts(state, files);
      const apply = (record: LogRecord) => void state.apply(record);
      const parts = this.options.files?.log;
      const { position, repairs } = readLogAfter(disk, folder, manifest, apply, parts);
      state.check();
      this.isTorn = repairs.length > 0;
      if (position.nextSeq !== moment.seq + 1)
        throw new LogDamage(
          join(folder, "wal"),
          0,
          `the log ends with record ${position.nextSeq - 1}, not ${moment.seq}`,
          advice.state,
        );
      return moment.seq;
    });
    return seq ?? 0;
  }

  private checkFacts(state: State, files: CheckpointFiles): void {
    const { disk, folder } = this.options;
    for (const site of state.store.sites.values()) {
      const { site: increments, chunks } = files.filesForFacts(site);
      if (chunks.length === 0) continue;
      const own = readSite(disk, folder, increments);
      for (const chunk of chunks) this.found(advice.facts, () => compareFacts(disk, folder, own, chunk));
    }
  }

  /** Returns the result of `read`, or reports the fault that it throws. */
  private found<T>(advised: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const fault = faultOf(error, advised);
      // Two checkpoints may name one file, and have one log.
      if (!this.faults.has(fault)) this.options.onFault(fault);
      this.faults.add(fault);
      if (advised !== advice.facts) this.sound = false;
      return undefined;
    }
  }
}

/** Returns what is wrong as a sentence; throws an error that is no fault of the folder. */
function faultOf(error: unknown, advised: string): string {
  if (error instanceof LogDamage) return error.message;
  if (error instanceof NewerFormat) return `${error.message}; ${advice.newer}`;
  if (error instanceof SnapshotDamage) return `${error.message}; ${advised}`;
  if (error instanceof AssertionError) return `the state breaks a rule: ${error.message}; ${advised}`;
  if (error instanceof DiskError && error.code !== "EMFILE") return `${error.message}; ${advised}`;
  throw error;
}
