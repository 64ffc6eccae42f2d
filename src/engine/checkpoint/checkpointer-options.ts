/** The parts of a checkpointer's engine: its log, its files and its time. */
import type { Outcome } from "../../core/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../wal/log.ts";
import type { AwaitedFiles } from "../files/awaited-files.ts";
import type { KeptOptions } from "./kept-checkpoints.ts";

export interface CheckpointerOptions extends KeptOptions {
  readonly clock: Clock;
  /** The number of records after which a checkpoint is due. */
  readonly records: number;
  readonly log: Log<Outcome>;
  /** Names the stream of which the folder is a copy; undefined where the log is in the folder. */
  readonly incarnation: string | undefined;
  /** Whether checkpoints are told to the log: one node of a cluster does, and seals chunks for all. */
  readonly appends: () => boolean;
  /** Files that are not there yet: a checkpoint waits for all of them. */
  readonly awaited?: AwaitedFiles | undefined;
  /** The last record that was applied and the log's time. */
  readonly position: () => { readonly seq: number; readonly lastMs: number };
  /** Whether the log has something new since the last checkpoint. */
  readonly hasNews: boolean;
  /** Whether older files have what was deleted. */
  readonly purgeDue: boolean;
  /** Called after each attempt that had something to save. */
  readonly onTaken: (outcome: "saved" | "failed", tookMs: number) => void;
  /** Called after each durable checkpoint. */
  readonly onSaved: () => void;
}
