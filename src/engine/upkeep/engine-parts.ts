/** The parts of an engine that upkeep, imports of months and removals work with. */
import type { Outcome } from "../../core/outcome.ts";
import type { NewRecord } from "../../record/record.ts";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import type { DiskRoom } from "../log/disk-room.ts";
import type { EngineOptions, Recovered } from "../options/options.ts";

export interface EngineParts {
  readonly engine: EngineOptions;
  readonly recovered: Recovered;
  readonly checkpointer: Checkpointer;
  readonly room: DiskRoom;
  /** The log's time. */
  readonly nowMs: () => number;
  /** Reads what hits need from files. Throws Refusal. */
  readonly openStore: () => void;
  /** Resolves when the record is applied. */
  readonly commit: (record: NewRecord) => Promise<Outcome>;
}
