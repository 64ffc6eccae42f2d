/**
 * Decides when checkpoints are made, and which files are removed when one is durable: two checkpoints are kept, but
 * only the newest if something was deleted or the disk is nearly full. A failed checkpoint leaves everything as it was,
 * because the log has all records.
 * A checkpoint is due after 100,000 records or 64 MiB of log, at a clean stop, after a deletion, and when the disk is
 * nearly full. After a deletion and on a nearly full disk it says that it stands alone: a start that still finds an older
 * one beside it finishes the removal.
 */
import { join } from "node:path";
import type { Outcome } from "../../core/outcome.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { LogRecord } from "../../record/record.ts";
import type { Manifest } from "../../snapshot/manifest.ts";
import { removeOthers } from "../../snapshot/write.ts";
import { rowsPerCheckpoint } from "../../store/columns/merge.ts";
import type { Log } from "../../wal/log.ts";
import { removeSegmentsBefore } from "../../wal/recovery.ts";
import type { CheckpointFiles, CollectedCheckpoint } from "./checkpoint.ts";
import { deletes, isNews } from "./deleting.ts";
import type { EngineIo } from "./io.ts";
import { bytesToWrite } from "../files/planned-checkpoint.ts";

/** A checkpoint is due after this many bytes of log; also after a number of records. */
const checkpointBytes = 64 * 1024 * 1024;
/** On a nearly full disk a checkpoint is made if it saves records of so many bytes. */
const reliefBytesMin = 1024 * 1024;
/** A generous estimate of the bytes of a row with its properties and its beacon. */
const bytesPerRecord = 160;
/** The wait before another attempt: deleted data must be gone within a minute, even if the disk failed at first. */
const retryMs = 20_000;
/** A stop saves so many records even if none of them says anything new. */
const emptyRecordsMax = 100;

export interface CheckpointerOptions {
  readonly io: EngineIo;
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The number of records after which a checkpoint is due. */
  readonly records: number;
  readonly files: CheckpointFiles;
  readonly log: Log<Outcome>;
  /** The last record that was applied and the log's time. */
  readonly position: () => { readonly seq: number; readonly lastMs: number };
  /** The checkpoints that are kept, oldest first. */
  readonly manifests: readonly Manifest[];
  /** Returns the checkpoint that has the websites that are unavailable, if some are: it and the log after it stay. */
  readonly base: () => Manifest | undefined;
  /** Whether the log has something new since the last checkpoint. */
  readonly hasNews: boolean;
  /** Whether something was deleted that older files still contain. */
  readonly purgeDue: boolean;
  /** Called after each durable checkpoint. */
  readonly onSaved: () => void;
}

export interface ReleasablePin {
  readonly manifest: Manifest;
  /** Lets the files go; those that nobody else needs are removed. */
  release(): void;
}

interface Mark {
  readonly seq: number;
  /** The bytes of the log written since the start. */
  readonly bytes: number;
}

export class Checkpointer {
  private manifests: readonly Manifest[];
  /** The positions of the last attempt and of the last success. */
  private attempted: Mark;
  private saved: Mark;
  /** The bytes of the files that the last attempt had to write. */
  private lastBytes = 0;
  /** Whether no older file may be kept beside the next checkpoint. */
  private onlyNewest: boolean;
  private hasNews: boolean;
  /** The checkpoint under way and those that wait for it. */
  private last: Promise<void> = Promise.resolve();
  private waits = false;
  private retry: Timer | undefined;
  private merging = false;
  /** The checkpoints whose files, with the log after them, are being copied. */
  private readonly pins = new Set<Pick<ReleasablePin, "manifest">>();
  private stopping = false;

  constructor(private readonly options: CheckpointerOptions) {
    this.manifests = options.manifests;
    this.attempted = this.saved = { seq: (options.manifests.at(-1) as Manifest).seq, bytes: 0 };
    this.onlyNewest = options.purgeDue;
    this.hasNews = options.hasNews;
    if (options.purgeDue) this.inBackground();
    else this.mergeMore();
  }

  /** Whether chunks are being merged by one checkpoint after the other. */
  get isMerging(): boolean {
    return this.merging;
  }

  /** Call it after each applied record. */
  applied(record: LogRecord): void {
    this.onlyNewest ||= deletes(record);
    this.hasNews ||= isNews(record);
    const { seq, bytes } = this.since(this.attempted);
    if ((seq >= this.options.records || bytes >= checkpointBytes) && !this.waits) this.inBackground();
  }

  /** The most free space that the next checkpoint may take, in bytes. */
  get bytesNeeded(): number {
    const { seq, bytes } = this.since(this.saved);
    return this.lastBytes + this.options.files.siteBytes + bytes + seq * bytesPerRecord;
  }

  /** Makes a checkpoint in the background, if records of so many bytes came since the last attempt. Returns whether. */
  soon(bytesMin = 0): boolean {
    const { seq, bytes } = this.since(this.attempted);
    const isDue = !this.waits && bytes + seq * bytesPerRecord >= bytesMin;
    if (isDue) this.inBackground();
    return isDue;
  }

  /** Frees the older checkpoint and its log, or where there is none makes one that frees log, if that frees enough. */
  relieve(): void {
    const isAlone = this.manifests.length === 1;
    if (isAlone && this.soon(reliefBytesMin)) this.onlyNewest = true;
    if (isAlone || this.waits) return;
    this.waits = true;
    void this.between(async () => {
      this.waits = false;
      this.manifests = this.manifests.slice(-1);
      this.tidy();
    });
  }

  /** Resolves when no file contains the deleted data any more; rejects if the disk fails, and then tries again. */
  purge(): Promise<void> {
    this.onlyNewest = true;
    const done = this.next();
    done.catch((error) => this.failed(error));
    return done;
  }

  /** Keeps the files of the newest checkpoint, and the log after it, from being removed; they never change. */
  pin(): ReleasablePin {
    const pin = { manifest: this.options.base() ?? (this.manifests.at(-1) as Manifest) };
    this.pins.add(pin);
    const release = () => {
      // After a stop the folder may be another server's.
      if (this.pins.delete(pin) && !this.stopping) void this.between(async () => this.tidy());
    };
    return { ...pin, release };
  }

  /** Runs `act` while no checkpoint is under way. */
  between<T>(act: () => Promise<T>): Promise<T> {
    const done = this.last.then(act);
    this.last = Promise.allSettled([done]).then(() => {});
    return done;
  }

  /** Makes the last checkpoint, if there is anything to save. Never rejects. */
  async finish(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.retry);
    // Stops alone are nothing to save, so that an older program can go on, but for many, each with a segment.
    const { sealedSince } = this.options.files;
    if (this.hasNews || this.since(this.saved).seq > emptyRecordsMax || this.onlyNewest || sealedSince)
      await this.next().catch((error) => this.failed(error));
    await this.last;
    clearTimeout(this.retry);
  }

  private since(mark: Mark): Mark {
    const { log, position } = this.options;
    return { seq: position().seq - mark.seq, bytes: log.bytesSinceStart - mark.bytes };
  }

  private inBackground(): void {
    this.waits = true;
    void this.next().catch((error) => this.failed(error));
  }

  /** Makes another checkpoint if there are more rows to merge than one may take, until all are merged. */
  private mergeMore(): void {
    const { files, position } = this.options;
    const rows = this.stopping ? 0 : files.mergeableRows(position().lastMs);
    this.merging = rows > (this.merging ? 0 : rowsPerCheckpoint);
    if (this.merging) this.inBackground();
  }

  private failed(error: unknown): void {
    const text = "a checkpoint failed; no data is lost, because the log still has all records";
    this.options.logger.error(text, { error: String(error) });
    if (!this.onlyNewest) return;
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.inBackground(), retryMs);
  }

  private next(): Promise<void> {
    const next = this.last.then(() => this.take());
    this.last = next.catch(() => {});
    const saved = () => {
      this.mergeMore();
      this.options.onSaved();
    };
    next.then(saved, () => (this.merging = false));
    return next;
  }

  private async take(): Promise<void> {
    const { log, position, files, clock, logger } = this.options;
    let onlyNewest = false;
    try {
      await log.rotate();
      await this.recordLast();
      const { seq, lastMs } = position();
      this.attempted = { seq, bytes: log.bytesSinceStart };
      // Data deleted while the log was rotated is in no file of this checkpoint.
      onlyNewest = this.onlyNewest;
      this.onlyNewest = this.hasNews = false;
      const startMs = clock.monotonicMs();
      const collected = files.collect(seq, lastMs, onlyNewest);
      const pauseMs = Math.round(clock.monotonicMs() - startMs);
      this.lastBytes = bytesToWrite(collected.checkpoint);
      const manifest = await this.write(collected);
      // From here on the next checkpoint builds on its files, whatever becomes of its record.
      this.manifests = [...this.manifests.filter(({ seq }) => seq !== manifest.seq), manifest];
      this.saved = this.attempted;
      await log.append({ kind: "checkpoint", timeMs: lastMs, manifestSeq: seq });
      // The record has sealed the chunks that no hit reaches any more, and most of their data is in the checkpoint.
      files.releaseSealed();
      this.keep(onlyNewest ? 1 : 2);
      logger.debug("checkpoint", { seq, bytes: this.lastBytes, pauseMs });
    } catch (error) {
      this.onlyNewest ||= onlyNewest;
      this.hasNews = true;
      throw error;
    } finally {
      this.waits = false;
    }
  }

  /**
   * Appends the record of the last checkpoint if that failed, or a crash came before it. Else the next checkpoint would have
   * the same sequence number, and write other files under the names of this one's.
   */
  private async recordLast(): Promise<void> {
    const { log, position } = this.options;
    const { seq, lastMs } = position();
    if (seq > 0 && this.manifests.at(-1)?.seq === seq)
      await log.append({ kind: "checkpoint", timeMs: lastMs, manifestSeq: seq });
  }

  /**
   * Writes a checkpoint. The files of a failed attempt are removed: they are useless, and a full disk needs the space.
   */
  private async write({ checkpoint, settle, abandon }: CollectedCheckpoint): Promise<Manifest> {
    const { io, folder } = this.options;
    try {
      const manifest = await io.writeCheckpoint(folder, checkpoint);
      settle(manifest);
      return manifest;
    } catch (error) {
      abandon();
      this.tidy();
      throw error;
    }
  }

  /**
   * Removes files that belong to no kept checkpoint. Those that cannot be removed now are removed after the next
   * checkpoint.
   */
  private tidy(): void {
    try {
      this.removeUnneeded();
    } catch (error) {
      const text = "files that no checkpoint needs could not be removed yet";
      this.options.logger.warn(text, { error: String(error) });
    }
  }

  private keep(count: number): void {
    this.manifests = this.manifests.slice(-count);
    this.removeUnneeded();
  }

  private removeUnneeded(): void {
    const { io, folder } = this.options;
    const pinned = [...this.pins].map(({ manifest }) => manifest).concat(this.options.base() ?? []);
    removeOthers(io.disk, folder, [...this.manifests, ...pinned]);
    // A pin may have the segment that ends with its checkpoint, where none had begun after it.
    const firstSeqs = [...this.manifests.map(({ seq }) => seq + 1), ...pinned.map(({ seq }) => seq)];
    removeSegmentsBefore(io.disk, join(folder, "wal"), Math.min(...firstSeqs));
  }
}
