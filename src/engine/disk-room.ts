/**
 * Whether the disk has room: for more hits beside the next checkpoint, and to write the data again that a deletion leaves.
 * The operator hears when less than a tenth of the disk is free, when hits are refused, and when they are taken again.
 */
import { Refusal } from "../core/refusal.ts";
import { DiskError } from "../lib/disk.ts";
import type { Log } from "../wal/log.ts";
import type { CheckpointFiles } from "./checkpoint/checkpoint.ts";
import type { Checkpointer } from "./checkpoint/checkpointer.ts";
import type { EngineOptions } from "./options.ts";

/**
 * So much stays free besides the next checkpoint's space, as a part of it and within bounds: hits are refused before, so
 * that it still fits.
 */
const spareShare = 1 / 4;
const spareBytesMin = 1024 * 1024;
const spareBytesMax = 16 * 1024 * 1024;
/** A record that waits takes its bytes of the log, and at most as many of the next checkpoint. */
const timesWritten = 2;
const scarceShare = 1 / 10;
/** With so much more there is enough again: one warning, not one at each turn of the tide. */
const enoughShare = 1 / 8;

export interface DiskRoomOptions extends Pick<EngineOptions, "io" | "folder" | "logger"> {
  readonly log: Pick<Log<unknown>, "freeBytes" | "comingBytes">;
  readonly checkpointer: Checkpointer;
  readonly files: CheckpointFiles;
}

export class DiskRoom {
  /** Whether the operator was told that there is too little space, and not yet that there is enough again. */
  private isToldLow = false;
  private isToldScarce = false;
  /** Undefined until it was measured. */
  private totalBytes: number | undefined;

  constructor(private readonly options: DiskRoomOptions) {}

  /** Returns whether the disk has too little space: as of the last batch, or as of now once that was too little. */
  get isLow(): boolean {
    const { io, folder, log, checkpointer } = this.options;
    const { needed } = this;
    const isLow = log.freeBytes < needed && io.disk.freeBytes(folder) < needed;
    this.tellScarce(needed);
    if (isLow !== this.isToldLow) this.tellLow(isLow, needed);
    if (isLow) checkpointer.relieve();
    return isLow;
  }

  /** The free bytes with which hits are taken. */
  private get needed(): number {
    const { log, checkpointer } = this.options;
    const next = checkpointer.bytesNeeded + timesWritten * log.comingBytes;
    return next + Math.min(spareBytesMax, Math.max(spareBytesMin, next * spareShare));
  }

  private tellScarce(needed: number): void {
    const { freeBytes: free } = this.options.log;
    // Unknown before the first batch.
    if (free === Infinity) return;
    const total = (this.totalBytes ??= this.measure());
    if (free > total * (this.isToldScarce ? enoughShare : scarceShare)) this.isToldScarce = false;
    else if (!this.isToldScarce) {
      this.isToldScarce = true;
      const text = "less than a tenth of the disk is free: hits will be refused when it is nearly full";
      this.options.logger.warn(text, { free, refusedBelow: Math.round(needed), total });
    }
  }

  /** Logs one line when hits are refused from now on, and one when they are taken again. */
  private tellLow(isLow: boolean, needed: number): void {
    const { io, folder, logger } = this.options;
    this.isToldLow = isLow;
    const room = { free: io.disk.freeBytes(folder), needed: Math.round(needed) };
    if (isLow)
      logger.error("the disk is nearly full: hits are refused until there is room; free some space", room);
    else logger.info("the disk has room again: hits are taken", room);
  }

  /** Returns the size of the disk; 0 if it does not tell. */
  private measure(): number {
    try {
      return this.options.io.disk.totalBytes(this.options.folder);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return 0;
    }
  }

  /** Throws if there is no room to write the data again that stays after a deletion: only then is the rest removed. */
  expectToRewrite(): void {
    const { io, folder, files } = this.options;
    const free = io.disk.freeBytes(folder);
    const needed = Math.round(this.needed + files.sealedBytes);
    if (free >= needed) return;
    const message = `deleting needs ${needed} free bytes on the disk to write the remaining data; ${free} are free`;
    throw new Refusal(500, message);
  }
}
