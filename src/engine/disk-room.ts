/** Whether the disk has room: for more hits beside the next checkpoint, and to write the data again that a deletion leaves. */
import { Refusal } from "../core/refusal.ts";
import type { Log } from "../wal/log.ts";
import type { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { EngineOptions } from "./options.ts";

/** This much stays free besides the next checkpoint's space: hits are refused before, so that it still fits. */
const freeBytesMin = 16 * 1024 * 1024;

export interface DiskRoomOptions extends Pick<EngineOptions, "io" | "folder" | "logger"> {
  readonly log: Pick<Log<unknown>, "freeBytes">;
  readonly checkpointer: Checkpointer;
  readonly files: CheckpointFiles;
}

export class DiskRoom {
  /** Whether the operator was told that there is too little space, and not yet that there is enough again. */
  private isToldLow = false;

  constructor(private readonly options: DiskRoomOptions) {}

  /** Returns whether the disk has too little space: as of the last batch, or as of now once that was too little. */
  get isLow(): boolean {
    const { io, folder, log, checkpointer } = this.options;
    const needed = freeBytesMin + checkpointer.bytesNeeded;
    const isLow = log.freeBytes < needed && io.disk.freeBytes(folder) < needed;
    if (isLow !== this.isToldLow) this.tell(isLow, needed);
    if (isLow) checkpointer.relieve();
    return isLow;
  }

  /** Logs one line when hits are refused from now on, and one when they are taken again. */
  private tell(isLow: boolean, needed: number): void {
    const { io, folder, logger } = this.options;
    this.isToldLow = isLow;
    const room = { free: io.disk.freeBytes(folder), needed };
    if (isLow)
      logger.error("the disk is nearly full: hits are refused until there is room; free some space", room);
    else logger.info("the disk has room again: hits are taken", room);
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
