/**
 * Fetches the files that a node's copy lacks while the node is at work, in a Worker: those that a question waits for first,
 * then the newest months. One that cannot be had is tried again and again, behind the others.
 */
import { join } from "node:path";
import { Refusal } from "../../core/refusal.ts";
import {
  awaitedName,
  notToBeHad,
  StillAwaited,
  type AwaitedFiles,
  type AwaitedList,
} from "../../engine/files/awaited-files.ts";
import type { Clock } from "../../lib/clock.ts";
import { systemDisk } from "../../lib/disk/disk.ts";
import { diskFailure } from "../../lib/disk/failure.ts";
import type { Logger } from "../../lib/log.ts";
import { gaugeLines } from "../../lib/metrics.ts";
import { Seldom } from "../../lib/seldom.ts";
import { startWorker } from "../../lib/threads/worker.ts";
import type { BackupEntry } from "../../snapshot/backup-list.ts";
import type { FetchJob } from "../backup/fetch.ts";
import type { FetchReply } from "../backup/worker.ts";

/** The most files that are fetched at once while questions wait for them. Others come one by one, to slow none down. */
const togetherMax = 4;
/** The wait before another attempt at those that did not come. */
const retryMsDefault = 10_000;
const sayEveryMs = 60_000;

export interface FetchingOptions {
  readonly folder: string;
  /** The place of the backups. */
  readonly place: string;
  readonly list: AwaitedList;
  /** The files of the list that are not there. */
  readonly left: readonly BackupEntry[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** The wait before another attempt at files that did not come, in milliseconds. */
  readonly retryMs?: number;
}

export class Fetching implements AwaitedFiles {
  readonly names: Set<string>;
  readonly whole: Promise<void>;
  private readonly ended = Promise.withResolvers<void>();
  /** By name, in the order in which they come. */
  private readonly left: Map<string, BackupEntry>;
  /** Resolves when a file is there that a question waits for. */
  private readonly wanted = new Map<string, PromiseWithResolvers<void>>();
  private readonly running = new Set<string>();
  /** The names of the files that did not come at the last attempt. */
  private readonly failed = new Set<string>();
  /** The number of failed attempts since a file last came. */
  private failures = 0;
  private firstError: string | undefined;
  private readonly said: Seldom;
  private worker: Worker | undefined;
  private retry: Timer | undefined;
  private isStopped = false;

  constructor(private readonly options: FetchingOptions) {
    const newestFirst = options.left.toSorted((a, b) => (monthOf(b) < monthOf(a) ? -1 : 1));
    this.left = new Map(newestFirst.map((entry) => [entry.name, entry]));
    this.names = new Set(this.left.keys());
    this.said = new Seldom(options.clock, sayEveryMs);
    this.whole = this.ended.promise;
    // Nobody may wait for it.
    this.whole.catch(() => {});
  }

  /** Begins to fetch. */
  begin(): void {
    this.options.logger.info(
      "fetches files of the copy: questions about them wait, and no checkpoint is made",
      {
        from: this.options.place,
        files: this.left.size,
        bytes: this.left.values().reduce((sum, { bytes }) => sum + bytes, 0),
      },
    );
    this.fetchMore();
  }

  /** Fetches all files for somebody who waits for nothing else. Throws Refusal as soon as one cannot be had. */
  async all(): Promise<void> {
    this.begin();
    await this.until([...this.names]).catch((error: unknown) => {
      this.stop();
      throw this.firstError === undefined ? error : new Refusal(500, this.firstError);
    });
    await this.whole;
  }

  async until(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => this.left.has(name));
    if (missing.some((name) => this.failed.has(name))) throw notToBeHad();
    const waits = missing.map((name) => {
      const { promise } = this.wanted.getOrInsertComputed(name, () => Promise.withResolvers());
      promise.catch(() => {});
      return promise;
    });
    // It begins when the folder is opened.
    if (this.worker !== undefined) this.fetchMore();
    await Promise.all(waits);
  }

  /** Fetches no more; the next start of the node goes on. */
  stop(): void {
    this.isStopped = true;
    clearTimeout(this.retry);
    this.worker?.terminate();
    for (const { reject } of this.wanted.values()) reject(new Refusal(500, "the server is stopping"));
    this.ended.reject(new StillAwaited("the server is stopping"));
  }

  metricLines(): string[] {
    const help = "Files of this node's copy that are still to be fetched from the backups of the cluster";
    return gaugeLines({ name: "footfall_awaited_files", help }, this.names.size);
  }

  private fetchMore(): void {
    if (this.isStopped) return;
    if (this.left.size === 0) return this.finish();
    // After so many failures in a row the backup store fails, and not one file.
    while (this.running.size < togetherMax && this.failures < togetherMax) {
      const entry = this.next();
      if (entry === undefined) return;
      const { folder, place, list } = this.options;
      this.running.add(entry.name);
      const failure = diskFailure(() => {
        this.worker ??= this.startWorker();
        this.worker.postMessage({ folder, place, top: list.top, entry } satisfies FetchJob);
      });
      if (failure !== undefined) return this.came({ name: entry.name, error: failure.message });
    }
  }

  private next(): BackupEntry | undefined {
    const isFree = (name: string) => !this.running.has(name) && !this.failed.has(name);
    const wanted = this.wanted.keys().find(isFree);
    if (wanted === undefined && this.running.size > 0) return undefined;
    return this.left.get(wanted ?? this.left.keys().find(isFree) ?? "");
  }

  private startWorker(): Worker {
    const onReply = (reply: FetchReply) => this.came(reply);
    const worker = startWorker("cli/backup/worker.ts", onReply, (how) => {
      if (this.worker !== worker || this.isStopped) return;
      this.worker = undefined;
      for (const name of [...this.running])
        this.came({ name, error: `the thread that fetches files ${how}` });
    });
    return worker;
  }

  private came({ name, error }: FetchReply): void {
    if (this.isStopped) return;
    this.running.delete(name);
    const wait = this.wanted.get(name);
    this.wanted.delete(name);
    if (error === undefined) {
      this.failures = 0;
      this.left.delete(name);
      this.names.delete(name);
      wait?.resolve();
    } else {
      this.failures++;
      this.firstError ??= error;
      this.failed.add(name);
      wait?.reject(notToBeHad());
      this.tell(name, error);
      const { retryMs = retryMsDefault } = this.options;
      this.retry ??= setTimeout(() => this.tryAgain(), retryMs);
    }
    this.fetchMore();
  }

  private tryAgain(): void {
    this.retry = undefined;
    this.failures = 0;
    this.failed.clear();
    this.fetchMore();
  }

  private tell(file: string, error: string): void {
    const text =
      "a file of the copy could not be fetched, and is tried again: questions that need it are refused";
    const { size: failed } = this.failed;
    if (this.said.isDue()) this.options.logger.error(text, { file, error, failed, left: this.left.size });
  }

  /** All files are durable: the list goes, and the next checkpoint is the node's own. */
  private finish(): void {
    const { folder, logger } = this.options;
    clearTimeout(this.retry);
    this.worker?.terminate();
    this.worker = undefined;
    const failure = diskFailure(() => {
      systemDisk.remove(join(folder, awaitedName));
      systemDisk.syncDirectory(folder);
    });
    // The list of another manifest than the newest one means nothing.
    const text = "the list of files that were fetched could not be removed";
    if (failure !== undefined) logger.warn(text, { error: String(failure) });
    logger.info("all files of the copy are there");
    this.ended.resolve();
  }
}

/** Returns the year and the month in a file's name. */
function monthOf({ name }: BackupEntry): string {
  return /\/(\d+-\d\d)-[^/]*$/.exec(name)?.[1] ?? "";
}
