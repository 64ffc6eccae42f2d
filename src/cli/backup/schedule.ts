/**
 * Makes a backup of a served folder every so often, in a Worker. The first one is due as soon as the newest backup is
 * old enough, whichever process made it. One that fails is tried again: after a minute at first, then less and less
 * often. One whose place does not answer fails, too: its files are pinned, and the log after them stays.
 */
import { minuteMs } from "../../core/hit.ts";
import { Periodic } from "../../engine/upkeep/periodic.ts";
import type { PinnedFiles } from "../../engine/pinned-files.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { startWorker } from "../../lib/threads/worker.ts";
import type { BackupMetrics } from "./backup-metrics.ts";
import { lockBackups } from "./copy.ts";
import type { BackupDone, BackupJob, BackupReply } from "./worker.ts";

const lookMs = 30_000;
const retryMsMax = 60 * minuteMs;
/** One call of the place takes this long at most: that of a file of 64 MiB even at 40 KB a second. */
const answerMsMax = 30 * minuteMs;

export interface BackupScheduleOptions {
  readonly folder: string;
  readonly destination: string;
  readonly everyMs: number;
  /** The number of backups that stay. */
  readonly keep: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Keeps the files of this moment until they are released. */
  readonly pinFiles: () => Promise<PinnedFiles>;
  /** Whether backups are made at the moment; by default they are. */
  readonly isOn?: () => boolean;
  readonly metrics?: BackupMetrics | undefined;
  /** A place that does not answer for this long is given up. */
  readonly answerMs?: number;
  /** Called after each backup, with the last record that it has. */
  readonly onMade?: (record: number) => void;
}

export class BackupSchedule extends Periodic {
  /** The time of the next backup; undefined until the newest one is known. */
  private dueMs: number | undefined;
  private failures = 0;
  /** Ends the backup that is under way. */
  private giveUp: ((error: Error) => void) | undefined;
  /** The Worker of a backup that was given up, until it has ended: a system call may keep it for ever. */
  private stuck: Worker | undefined;

  constructor(private readonly options: BackupScheduleOptions) {
    super(lookMs);
    void this.round();
  }

  /** Ends a backup that is under way: the next one goes on with the files that are copied. */
  override stop(): Promise<void> {
    const stopped = super.stop();
    this.giveUp?.(new Error("the server is stopping"));
    return stopped;
  }

  /** Whether the last attempt failed, where backups are made at the moment. */
  get isFailing(): boolean {
    return this.failures > 0 && this.options.isOn?.() !== false;
  }

  /** Makes a backup if one is due. */
  protected async work(): Promise<void> {
    const { clock, everyMs, isOn, metrics } = this.options;
    if (this.isStopped || isOn?.() === false) return;
    if (this.dueMs === undefined) {
      const { madeMs = -Infinity } = await this.run(undefined);
      // A newest one of the future was made by a wrong clock, and says nothing.
      const isKnown = Number.isFinite(madeMs) && madeMs <= clock.nowMs();
      if (isKnown) metrics?.noteNewest(madeMs);
      this.dueMs = isKnown ? madeMs + everyMs : -Infinity;
    }
    // The clock may have been set back.
    this.dueMs = Math.min(this.dueMs, clock.nowMs() + everyMs);
    if (clock.nowMs() >= this.dueMs) await this.backUp();
  }

  private async backUp(): Promise<void> {
    this.expectNoThread();
    // A Worker that is ended from outside leaves open what it has opened.
    const lock = lockBackups(this.options.folder);
    try {
      await this.copy();
    } finally {
      if (this.stuck === undefined) lock.release();
      else this.stuck.addEventListener("close", () => lock.release());
    }
  }

  private async copy(): Promise<void> {
    const { destination, keep, everyMs, clock, logger } = this.options;
    const [startMs, monotonicMs] = [clock.nowMs(), clock.monotonicMs()];
    const { release, ...files } = await this.options.pinFiles();
    try {
      const { madeMs, trouble, ...done } = await this.run({ files, keep, nowMs: startMs });
      this.failures = 0;
      this.options.metrics?.note("made");
      if (madeMs !== undefined) this.options.metrics?.noteNewest(madeMs);
      this.dueMs = startMs + everyMs;
      const ms = Math.round(clock.monotonicMs() - monotonicMs);
      logger.info("made a backup", { to: destination, ...done, ms });
      if (trouble !== undefined)
        logger.warn("older backups could not be removed", { to: destination, error: trouble });
      this.options.onMade?.(done.record);
    } finally {
      release();
    }
  }

  protected failed(error: unknown): void {
    const { destination, everyMs, clock, logger } = this.options;
    if (this.isStopped) return;
    this.options.metrics?.note("failed");
    const waitMs = Math.min(everyMs, retryMsMax, minuteMs * 2 ** this.failures++);
    this.dueMs = clock.nowMs() + waitMs;
    logger.error("a backup failed, and will be tried again", {
      to: destination,
      error: error instanceof Error ? error.message : String(error),
      minutes: Math.round(waitMs / minuteMs),
    });
  }

  private expectNoThread(): void {
    if (this.isStopped) throw new Error("the server is stopping");
    if (this.stuck !== undefined)
      throw new Error("the thread of an earlier backup still waits for its place");
  }

  /** Starts one Worker for each backup: most of the time there is none. */
  private async run(copy: BackupJob["copy"]): Promise<BackupDone> {
    const { folder, destination, answerMs = answerMsMax } = this.options;
    this.expectNoThread();
    const { promise, resolve, reject } = Promise.withResolvers<BackupDone>();
    const onReply = (reply: BackupReply) => {
      if ("error" in reply) reject(new Error(reply.error));
      else if ("madeMs" in reply) resolve(reply);
      else waiting.refresh();
    };
    const worker = startWorker("cli/backup/worker.ts", onReply, (how) => {
      if (this.stuck === worker) this.stuck = undefined;
      reject(new Error(`the thread for backups ${how}`));
    });
    const giveUp = (error: Error) => {
      this.stuck = worker;
      reject(error);
    };
    this.giveUp = giveUp;
    const silence = `${destination} has not answered for ${Math.round(answerMs / minuteMs)} minutes`;
    const waiting = setTimeout(() => giveUp(new Error(silence)), answerMs);
    worker.postMessage({ folder, destination, copy } satisfies BackupJob);
    return promise.finally(() => {
      clearTimeout(waiting);
      this.giveUp = undefined;
      worker.terminate();
    });
  }
}
