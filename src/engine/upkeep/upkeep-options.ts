/** The parts of an engine that upkeep works with. */
import type { Outcome } from "../../core/outcome.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import type { DiskRoom } from "../log/disk-room.ts";
import type { EngineOptions, Recovered } from "../options/options.ts";

export interface UpkeepOptions {
  readonly engine: EngineOptions;
  readonly recovered: Recovered;
  readonly checkpointer: Checkpointer;
  readonly room: DiskRoom;
  /** The log's time. */
  readonly nowMs: () => number;
  /** Resolves when the record is applied. */
  readonly commit: (record: LogRecord) => Promise<Outcome>;
}
