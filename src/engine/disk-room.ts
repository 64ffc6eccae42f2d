/** Whether the disk has room: for more hits beside the next checkpoint, and to write the data again that a deletion leaves. */
import { Refusal } from "../core/refusal.ts";
import type { Log } from "../wal/log.ts";
import type { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { EngineOptions } from "./options.ts";

/** This much stays free besides the next checkpoint's space: hits are refused before, so that it still fits. */
const freeBytesMin = 16 * 1024 * 1024;

export interface DiskRoomOptions extends Pick<EngineOptions, "io" | "folder"> {
  readonly log: Pick<Log<unknown>, "freeBytes">;
  readonly checkpointer: Checkpointer;
  readonly files: CheckpointFiles;
}

export class DiskRoom {
  constructor(private readonly options: DiskRoomOptions) {}

  /** Returns whether the disk has too little space: as of the last batch, or as of now once that was too little. */
  get isLow(): boolean {
    const { io, folder, log, checkpointer } = this.options;
    const needed = freeBytesMin + checkpointer.bytesNeeded;
    if (log.freeBytes >= needed || io.disk.freeBytes(folder) >= needed) return false;
    checkpointer.relieve();
    return true;
  }

  /** Throws if there is no room to write the data again that stays after a deletion: only then is the rest removed. */
  expectToRewrite(): void {
    const { io, folder, checkpointer, files } = this.options;
    const free = io.disk.freeBytes(folder);
    const needed = freeBytesMin + checkpointer.bytesNeeded + files.sealedBytes;
    if (free >= needed) return;
    const message = `deleting needs ${needed} free bytes on the disk to write the remaining data; ${free} are free`;
    throw new Refusal(500, message);
  }
}
