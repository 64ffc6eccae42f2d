/**
 * Whether the disk has room: for more hits beside the next checkpoint, and to write the data again that a deletion leaves.
 * The operator hears when less than a tenth of the disk is free, when hits are refused, and when they are taken again.
 */
import { Refusal } from "../../core/refusal.ts";
import { DiskError } from "../../lib/disk/disk.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { Log } from "../../wal/log.ts";
import { websiteOf } from "../checkpoint/checkpoint-names.ts";
import type { CheckpointFiles } from "../checkpoint/checkpoint.ts";
import type { Checkpointer } from "../checkpoint/checkpointer.ts";
import type { EngineOptions } from "../options/options.ts";

/**
 * This much stays free besides the space of the next checkpoint, as a share of it and within bounds: hits are refused
 * before that is used up, so that the checkpoint still fits.
 */
const spareShare = 1 / 4;
const spareBytesMin = 1024 * 1024;
const spareBytesMax = 16 * 1024 * 1024;
/** Hits that were refused are taken again once this much more is free, so that they are not refused again at once. */
const againBytes = 1024 * 1024;
/** If less than this multiple of what is needed is free, a checkpoint is made before hits have to be refused, */
const earlyFactor = 1.5;
/** but only if the records since the last attempt take this share of what is needed. */
const earlyShare = 1 / 4;
const earlyBytesMin = 2 * 1024 * 1024;
/** A record that waits takes its bytes of the log, and at most as many of the next checkpoint. */
const timesWritten = 2;
/**
 * Hits may be refused for milliseconds again and again, until a checkpoint has helped: at most one line a minute says
 * so. If they are refused for longer than `soonMs`, a line always does.
 */
const tellLowEveryMs = 60_000;
const soonMs = 1_000;
/** The disk of a copy is looked at this often, because no batch is written to it that would tell. */
const lookMs = 1_000;
const scarceShare = 1 / 10;
/** There is enough again above this larger share: free space that rises and falls a little gives one warning. */
const enoughShare = 1 / 8;

export interface DiskRoomOptions extends Pick<EngineOptions, "io" | "folder" | "clock" | "logger"> {
  /** The log of a cluster, which is on other disks; undefined where it is on this one. */
  readonly shared?: unknown;
  readonly log: Pick<Log<unknown>, "freeBytes" | "comingBytes">;
  readonly checkpointer: Checkpointer;
  readonly files: CheckpointFiles;
}

/** The disk of the data folder, for whoever watches the server. */
export interface DiskReport {
  /** Whether the disk has room for hits; false if it does not tell. */
  readonly hasRoom: boolean;
  /** Both are missing if the disk does not tell. */
  readonly freeBytes?: number;
  readonly totalBytes?: number;
}

export class DiskRoom {
  /** Since when there is too little space, by the monotonic clock; undefined if there is enough. */
  private lowSinceMs: number | undefined;
  /** Whether the operator was told that there is too little space, and not yet that there is enough again. */
  private isToldLow = false;
  private readonly lowLine: Seldom;
  private isToldScarce = false;
  /** Undefined until it was measured. */
  private totalBytes: number | undefined;

  /** The free bytes of a copy's disk at `atMs`, by the monotonic clock. */
  private looked = { atMs: -Infinity, freeBytes: Infinity };

  constructor(private readonly options: DiskRoomOptions) {
    this.lowLine = new Seldom(options.clock, tellLowEveryMs);
  }

  /** The bytes of the disk, as it says now. Throws DiskError. */
  get space(): { readonly freeBytes: number; readonly totalBytes: number } {
    const { io, folder } = this.options;
    return { freeBytes: io.disk.freeBytes(folder), totalBytes: io.disk.totalBytes(folder) };
  }

  /** The disk as it is now; it does not tell where the folder is gone. */
  get report(): DiskReport {
    try {
      const { space } = this;
      // Before the first batch, and between two, only the disk itself knows.
      return { ...space, hasRoom: !this.isLowWith(space.freeBytes) };
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return { hasRoom: false };
    }
  }

  /** Returns whether the disk has too little space: as of the last batch, or as of now once it was too little. */
  get isLow(): boolean {
    return this.isLowWith(this.free);
  }

  private isLowWith(free: number): boolean {
    const { io, folder, clock, checkpointer } = this.options;
    const { needed } = this;
    const wasLow = this.lowSinceMs !== undefined;
    const enough = wasLow ? needed + againBytes : needed;
    const isLow = (wasLow || free < enough) && io.disk.freeBytes(folder) < enough;
    const nowMs = clock.monotonicMs();
    this.lowSinceMs = isLow ? (this.lowSinceMs ?? nowMs) : undefined;
    this.tellScarce(needed);
    const isWorthALine = !isLow || nowMs - (this.lowSinceMs ?? nowMs) >= soonMs || this.lowLine.isDue();
    if (isLow !== this.isToldLow && isWorthALine) this.tellLow(isLow, needed);
    if (isLow) checkpointer.relieve();
    // With a checkpoint, what is needed for the records that it saves is needed no more.
    else if (free < needed * earlyFactor) checkpointer.soon(Math.max(earlyBytesMin, needed * earlyShare));
    return isLow;
  }

  /** The free bytes as of the last batch, or of a second ago where the log is elsewhere; Infinity if it is not known. */
  private get free(): number {
    const { shared, log, clock } = this.options;
    if (shared === undefined) return log.freeBytes;
    const atMs = clock.monotonicMs();
    if (atMs - this.looked.atMs >= lookMs)
      this.looked = { atMs, freeBytes: this.told?.freeBytes ?? Infinity };
    return this.looked.freeBytes;
  }

  /** The space; undefined if the disk does not tell. */
  private get told() {
    try {
      return this.space;
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      return undefined;
    }
  }

  /** The free bytes with which hits are taken. */
  get needed(): number {
    const { log, checkpointer } = this.options;
    const next = checkpointer.bytesNeeded + timesWritten * log.comingBytes;
    return next + Math.min(spareBytesMax, Math.max(spareBytesMin, next * spareShare));
  }

  private tellScarce(needed: number): void {
    const { free } = this;
    // Unknown before the first batch.
    if (free === Infinity) return;
    const total = (this.totalBytes ??= this.told?.totalBytes ?? 0);
    if (free > total * (this.isToldScarce ? enoughShare : scarceShare)) this.isToldScarce = false;
    else if (!this.isToldScarce) {
      this.isToldScarce = true;
      const text = "less than a tenth of the disk is free: hits will be refused when it is nearly full";
      this.options.logger.warn(text, { free, refusedBelow: Math.round(needed), total });
    }
  }

  /** Logs one line when hits are refused, and one when they are taken again. */
  private tellLow(isLow: boolean, needed: number): void {
    const { io, folder, logger, shared } = this.options;
    this.isToldLow = isLow;
    const room = { free: io.disk.freeBytes(folder), needed: Math.round(needed) };
    const refused = shared === undefined ? "hits are refused" : "this node takes no hits for the cluster";
    if (isLow) logger.error(`the disk is nearly full: ${refused} until there is room; free some space`, room);
    else logger.info("the disk has room again: hits are taken", room);
  }

  /** Whether there is room to write the sealed chunks of all websites again. Throws DiskError. */
  get canRewriteAll(): boolean {
    return this.space.freeBytes >= this.needed + this.options.files.chunks.bytes.sealed;
  }

  /** Throws Refusal if there is no room to write websites again, by default without what is deleted: only then is that removed. */
  expectToRewrite(
    websiteIds: ReadonlySet<number>,
    act = "deleting",
    purpose = "to write the remaining data",
  ): void {
    const own = this.options.files.entries.filter(({ name }) => websiteIds.has(websiteOf(name)));
    const bytes = own.reduce((sum, { bytes }) => sum + bytes, 0);
    this.expectFree(bytes, act, purpose);
  }

  /** Throws if there is no room for this many bytes besides a checkpoint. */
  expectFree(bytes: number, act: string, purpose: string): void {
    const { io, folder } = this.options;
    const free = io.disk.freeBytes(folder);
    const needed = Math.round(this.needed + bytes);
    if (free >= needed) return;
    throw new Refusal(500, `${act} needs ${needed} free bytes on the disk ${purpose}; ${free} are free`);
  }
}
