/** The options that an engine is opened with, and the findings of recovery in its folder. */
import type { Outcome } from "../../core/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { MemoryBudget } from "../../lib/memory/memory-budget.ts";
import type { Random } from "../../lib/random.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Manifest } from "../../snapshot/manifest.ts";
import type { SharedLog, StreamPosition } from "../../wal/log-store.ts";
import type { LogPosition } from "../../wal/position.ts";
import type { CheckpointFiles } from "../checkpoint/checkpoint.ts";
import type { FileMinimums } from "../checkpoint/file-minimums.ts";
import type { EngineIo } from "../checkpoint/io.ts";
import type { AwaitedFiles } from "../files/awaited-files.ts";
import type { FolderHold, FolderLost } from "../files/folder-hold.ts";
import type { State } from "../checkpoint/state.ts";

export interface OpenOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly demo: boolean;
  /** The number of whole months that are kept besides the current one; undefined keeps all. */
  readonly retentionMonths?: number | undefined;
  /** The number of whole months that keep their rows besides the current one; undefined: all do. */
  readonly rowsMonths?: number | undefined;
  /**
   * The bytes that questions may use to be faster: their cache, scratch memory and mapped files. Infinity by default.
   */
  readonly memoryBytes?: number;
  /** Bytes that the names of all websites may take; Infinity by default. */
  readonly nameBytes?: number;
  /** Page loads a second that one network may send; Infinity by default. */
  readonly loadsPerNetwork?: number;
  readonly io?: EngineIo;
  /** The number of records after which a checkpoint is due; 100,000 by default. */
  readonly checkpointRecords?: number;
  readonly fileMinimums?: FileMinimums | undefined;
  /** Questions about a website with more rows are answered in a thread of their own. */
  readonly smallRows?: number;
  /** The log of a cluster, of which the folder is a copy; undefined where the log is in the folder. */
  readonly shared?: SharedLog | undefined;
  /** Files of the folder that are not there yet: what needs them waits. undefined where all are. */
  readonly awaited?: AwaitedFiles | undefined;
  /** Called when the folder is not this engine's any more: it writes nothing from then on, and has to be stopped. */
  readonly onLost?: (lost: FolderLost) => void;
  /** Takes the records that questions log, while this engine appends none, as on a node that follows. */
  readonly logElsewhere?: ((record: LogRecord) => Promise<Outcome>) | undefined;
}

/** The options with their defaults, and what follows from them. */
export interface EngineOptions extends Required<Omit<OpenOptions, "nameBytes">> {
  /** The budget for the names of all websites: in a cluster, the largest of those that its nodes have. */
  readonly nameBytes: () => number;
  /** The budget of this thread. */
  readonly memory: MemoryBudget;
}

/** The judgement whether the wall clock can be trusted with history (upkeep/trusted-clock.ts). */
export interface ClockTrust {
  isTrusted(isDue: () => boolean): boolean;
  stop(): void;
}

export interface Recovered {
  readonly hold: FolderHold;
  /** The judgement of the clock, with what earlier starts saw of it; undefined if nothing ever waits for it. */
  readonly trusted: ClockTrust | undefined;
  readonly folderId: Uint8Array;
  readonly state: State;
  readonly files: CheckpointFiles;
  /** Kept checkpoints, oldest first. */
  readonly manifests: readonly Manifest[];
  /** The checkpoint that has the websites that are unavailable; undefined if all are available. */
  readonly base: Manifest | undefined;
  /** By website: why it is unavailable. */
  readonly damages: ReadonlyMap<number, string>;
  /** The end of the log in the folder. */
  readonly position: LogPosition;
  /** The place in the log of a cluster up to which the folder has it. */
  readonly place: StreamPosition | undefined;
  /** The greatest time of a record; 0 for none. */
  readonly lastMs: number;
  /** Whether the log has something new since the last checkpoint. */
  readonly hasNews: boolean;
  /** Something was deleted since the last checkpoint: older files still have it. */
  readonly purgeDue: boolean;
}
