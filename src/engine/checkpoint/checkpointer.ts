/**
 * Decides when checkpoints are made, and which files are removed when one is durable. One is due after 100,000 records
 * or 64 MiB of log, at a clean stop, after a deletion, for a month that waits to give up its rows, and when the disk is
 * nearly full. Two are kept, but only the newest after a deletion or on a nearly full disk. Such a checkpoint says that it stands alone: a start that still
 * finds an older one beside it finishes the removal. A failed checkpoint leaves everything as it was, because the log
 * has all records.
 */
import type { LogRecord } from "../../record/record.ts";
import { deletes, isNews } from "../../record/traits.ts";
import type { Manifest, StreamPlace } from "../../snapshot/manifest.ts";
import { rowsPerCheckpoint } from "../../store/chunks/merge.ts";
import type { CollectedCheckpoint } from "./checkpoint.ts";
import { bytesPerRecord, expectAll } from "../files/awaited-files.ts";
import { bytesToWrite } from "../files/planned-checkpoint.ts";
import type { CheckpointerOptions } from "./checkpointer-options.ts";
import { KeptCheckpoints, type Pin } from "./kept-checkpoints.ts";
import { bytesWrittenAgain } from "./written-again.ts";

/** A checkpoint is due after this many bytes of log; also after a number of records. */
const checkpointBytes = 64 * 1024 * 1024;
/** On a nearly full disk a checkpoint is made if it saves records of this many bytes. */
const reliefBytesMin = 1024 * 1024;
/** After this time the records that a failed checkpoint would have saved are a reason for another. */
const retryMs = 60_000;
/** Deleted data leaves all files after this time, or after another attempt or two: it must be gone within a minute. */
const purgeMs = 20_000;
/** A stop with more records than this since the last checkpoint makes one even without news. */
const emptyRecordsMax = 100;

export interface ReleasablePin extends Pin {
  /** Lets the files go; others that nobody needs are removed. */
  release(): void;
}

interface Mark {
  readonly seq: number;
  /** The bytes of the log written since the start. */
  readonly bytes: number;
}

export class Checkpointer {
  private readonly kept: KeptCheckpoints;
  /** The positions of the last attempt and of the last success. */
  private attempted: Mark;
  private saved: Mark;
  /** When the last attempt failed, by the monotonic clock; Infinity if it did not, or has not ended. */
  private failedMs = Infinity;
  /** The most bytes that the attempt under way has to write; else those of the files that each one writes. */
  private nextBytes: number;
  /** Whether no older file may be kept beside the next checkpoint. */
  private onlyNewest: boolean;
  private hasNews: boolean;
  /** The checkpoint under way and what waits for it. */
  private last: Promise<void> = Promise.resolve();
  /** The checkpoint that has not begun yet. */
  private coming: Promise<void> | undefined;
  private waits = false;
  private purging: Timer | undefined;
  private merging = false;
  private stopping = false;

  constructor(private readonly options: CheckpointerOptions) {
    this.kept = new KeptCheckpoints(options);
    this.attempted = this.saved = { seq: this.kept.newest.seq, bytes: 0 };
    this.nextBytes = this.bytesWrittenAgain();
    this.onlyNewest = options.purgeDue;
    this.hasNews = options.hasNews;
    // Records that came meanwhile are in memory, and no facts are made.
    options.awaited?.whole.then(() => this.soon()).catch(() => {});
    if (options.purgeDue) this.inBackground();
    else this.mergeMore();
  }

  /** Whether chunks are being merged by one checkpoint after the other. */
  get isMerging(): boolean {
    return this.merging;
  }

  /** Call it after each applied record. */
  applied(record: LogRecord): void {
    if (deletes(record)) this.purgeSoon();
    this.hasNews ||= isNews(record);
    const { seq, bytes } = this.since(this.attempted);
    if ((seq >= this.options.records || bytes >= checkpointBytes) && !this.waits) this.inBackground();
  }

  /** Whether the newest checkpoint has all that is applied. */
  get hasAll(): boolean {
    return this.kept.newest.seq === this.options.position().seq;
  }

  /** The number of records that are applied and in no checkpoint. */
  get recordsToReplay(): number {
    return this.since(this.saved).seq;
  }

  /** The most free space that the next checkpoint may take, in bytes. */
  get bytesNeeded(): number {
    const { seq, bytes } = this.since(this.saved);
    return this.nextBytes + this.options.files.siteBytes + bytes + seq * bytesPerRecord;
  }

  /** Makes a checkpoint of all that is applied. Rejects if the disk fails, and with Refusal 500 while files are awaited. */
  async make(): Promise<void> {
    expectAll(this.options.awaited);
    await this.next();
  }

  /**
   * Makes a checkpoint in the background if so many bytes of records came since the last attempt, or the last success where
   * the attempt failed a while ago. Returns whether.
   */
  soon(bytesMin = 0): boolean {
    const isOver = this.options.clock.monotonicMs() - this.failedMs >= retryMs;
    const { seq, bytes } = this.since(isOver ? this.saved : this.attempted);
    const isDue = !this.waits && bytes + seq * bytesPerRecord >= bytesMin;
    if (isDue) this.inBackground();
    return isDue;
  }

  /** Frees the older checkpoint and its log, or where there is none makes one that frees log, if that frees enough. */
  relieve(): void {
    const isAlone = this.kept.count === 1;
    if (isAlone && this.soon(reliefBytesMin)) this.onlyNewest = true;
    if (isAlone || this.waits) return;
    this.waits = true;
    void this.between(async () => {
      this.waits = false;
      this.kept.keepNewest();
    });
  }

  /** Resolves when no file contains the deleted data any more; rejects if the disk fails, and then tries again. */
  purge(): Promise<void> {
    this.onlyNewest = true;
    return this.next();
  }

  /** Keeps the files of the newest checkpoint and the log after it. Throws Refusal 500 while files are awaited. */
  pin(): ReleasablePin {
    expectAll(this.options.awaited);
    const pin = this.kept.pin();
    const release = () => {
      // After a stop the folder may be another server's.
      if (this.kept.unpin(pin) && !this.stopping) void this.between(async () => this.kept.tidy());
    };
    return { ...pin, release };
  }

  /** Runs `act` while no checkpoint is under way, and no file of the folder is awaited. */
  between<T>(act: () => Promise<T>): Promise<T> {
    const done = this.last.then(() => this.options.awaited?.whole).then(act);
    this.last = Promise.allSettled([done]).then(() => {});
    return done;
  }

  /** Makes the last checkpoint, if there is anything to save. Never rejects. */
  async finish(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.purging);
    // Stops alone are nothing to save, so that an older program can go on, but for many, each with a segment.
    const isMany = this.since(this.saved).seq > emptyRecordsMax;
    const isDue = this.hasNews || isMany || this.onlyNewest || this.options.files.chunks.sealedSince;
    if (isDue && !this.options.awaited?.names.size) await this.next().catch(() => {});
    await this.last;
    clearTimeout(this.purging);
  }

  private since(mark: Mark): Mark {
    const { log, position } = this.options;
    return { seq: position().seq - mark.seq, bytes: log.bytesSinceStart - mark.bytes };
  }

  private inBackground(): void {
    this.waits = true;
    this.next().catch(() => {});
  }

  private purgeSoon(): void {
    this.onlyNewest = true;
    this.purging ??= setTimeout(() => {
      this.purging = undefined;
      if (this.onlyNewest) this.inBackground();
    }, purgeMs);
  }

  /** Makes another checkpoint if there are more rows to merge than one may take, until all are merged. */
  private mergeMore(): void {
    const { files, position } = this.options;
    const rows = this.stopping || this.isSaved ? 0 : files.mergeableRows(position().lastMs);
    this.merging = rows > (this.merging ? 0 : rowsPerCheckpoint);
    if (this.merging) this.inBackground();
  }

  /** Who asks while one waits gets that one: when it begins, it has all that is applied until then. */
  private next(): Promise<void> {
    return (this.coming ??= this.between(async () => {
      this.coming = undefined;
      await this.take();
      this.mergeMore();
      this.options.onSaved();
    }));
  }

  private async take(): Promise<void> {
    const { io, folder, log, position, files, clock, logger } = this.options;
    let onlyNewest = false;
    const begunMs = clock.monotonicMs();
    try {
      this.options.hold.expect();
      await log.rotate();
      if (this.isSaved) {
        this.kept.keep(this.onlyNewest ? 1 : 2);
        this.onlyNewest = this.hasNews = false;
        return;
      }
      await this.recordLast();
      log.expectApplied();
      const { seq, lastMs } = position();
      this.attempted = { seq, bytes: log.bytesSinceStart };
      this.failedMs = Infinity;
      // Data deleted while the log was rotated is in no file of this checkpoint.
      onlyNewest = this.onlyNewest;
      if (!onlyNewest) this.kept.expectOlderToSpare();
      this.onlyNewest = this.hasNews = false;
      const startMs = clock.monotonicMs();
      // Merges have to wait where a checkpoint without them would lack the room then.
      const mergeBytesMax = io.disk.freeBytes(folder) - this.bytesNeeded;
      const collected = files.collect(seq, lastMs, onlyNewest, this.place(), mergeBytesMax);
      const pauseMs = Math.round(clock.monotonicMs() - startMs);
      const bytes = (this.nextBytes = bytesToWrite(collected.checkpoint));
      const manifest = await this.write(collected);
      // From here on the next checkpoint builds on its files, whatever becomes of its record.
      this.kept.add(manifest);
      this.saved = this.attempted;
      if (this.options.appends()) await log.append({ kind: "checkpoint", timeMs: lastMs, manifestSeq: seq });
      // The record has sealed the chunks that no hit reaches any more, and most of their data is in the checkpoint.
      files.chunks.releaseSealed();
      this.kept.keep(onlyNewest ? 1 : 2);
      logger.debug("checkpoint", { seq, bytes, pauseMs });
      this.options.onTaken("saved", clock.monotonicMs() - begunMs);
    } catch (error) {
      this.hasNews = true;
      this.merging = false;
      this.failedMs = clock.monotonicMs();
      this.options.onTaken("failed", clock.monotonicMs() - begunMs);
      const text = "a checkpoint failed; what is newer than the last one is in the log only";
      logger.error(text, { error: String(error) });
      if (onlyNewest || this.onlyNewest) this.purgeSoon();
      throw error;
    } finally {
      this.waits = false;
      // Merges, rows put in order and the like come once: hits need no room for them after that, nor if it failed.
      this.nextBytes = this.bytesWrittenAgain();
    }
  }

  private bytesWrittenAgain(): number {
    return bytesWrittenAgain(this.kept.newest.files, this.options.files.chunks.bytes.open);
  }

  /** Whether a copy has nothing that its newest checkpoint has not: it has no record by which a next one would differ. */
  private get isSaved(): boolean {
    return !this.options.appends() && this.hasAll;
  }

  private place(): StreamPlace | undefined {
    const { incarnation, log } = this.options;
    return incarnation === undefined || log.place === undefined ? undefined : { incarnation, ...log.place };
  }

  /** Appends the record that the last checkpoint may lack: without it, the next one's files would have the same names. */
  private async recordLast(): Promise<void> {
    const { seq, lastMs: timeMs } = this.options.position();
    const isDue = this.options.appends() && seq > 0 && this.hasAll;
    if (isDue) await this.options.log.append({ kind: "checkpoint", timeMs, manifestSeq: seq });
  }

  /** Writes a checkpoint. The files of a failed attempt are removed: a full disk needs the space. */
  private async write({ checkpoint, settle, abandon }: CollectedCheckpoint): Promise<Manifest> {
    const { io, folder, logger } = this.options;
    try {
      const manifest = await io.writeCheckpoint(folder, checkpoint);
      const failed = settle(manifest);
      if (failed) logger.warn("rows stay in memory: a file was not mapped", { error: String(failed) });
      return manifest;
    } catch (error) {
      abandon();
      this.kept.tidy();
      throw error;
    }
  }
}
