/**
 * When statistics are too old to be kept: whole UTC months, by a record of the log. A wrong clock must never
 * delete history, so it is believed only after 24 hours in which it went as the monotonic clock did. What it was
 * seen to do is not stored: every start waits 24 hours again, and so does a machine that slept or whose clock
 * was set.
 */
import { dayMs } from "../core/hit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { LogRecord } from "../record/record.ts";

const checkEveryMs = 3_600_000;
const trustedAfterMs = dayMs;
/** The clocks agree while they are no farther apart than this from where they began: what is slewed, not set. */
const toleranceMs = 120_000;

export interface RetentionOptions {
  readonly months: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether there are statistics of months that start before. */
  readonly hasMonthsBefore: (monthMs: number) => boolean;
  /**
   * Reads what the drop of those months needs, in steps. Throws if that cannot be read, or if there is no room to write
   * what stays: then it must not be logged.
   */
  readonly prepareDrop: (monthMs: number) => Iterable<void>;
  /** The log's time. */
  readonly nowMs: () => number;
  /** Resolves when the record is applied. */
  readonly commit: (record: LogRecord) => Promise<unknown>;
  /** Resolves when what was deleted is in no file any more. */
  readonly purge: () => Promise<void>;
}

/** Start of the oldest UTC month that is kept: any part of it is younger than `months` months. */
export function keptFromMs(nowMs: number, months: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
}

export class Retention {
  /** How far the wall clock is ahead of the monotonic one, and since when (monotonic) it has been. */
  private aheadMs = 0;
  private agreedSinceMs = 0;
  private readonly timer: Timer;
  private last: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: RetentionOptions) {
    this.watchFromNow();
    this.timer = setInterval(() => void this.check(), checkEveryMs);
  }

  /** Drops what is too old, if the clock can be believed. Never rejects: the next check tries again. */
  check(): Promise<void> {
    this.last = this.last.then(() => this.dropMonths()).catch((error) => this.failed(error));
    return this.last;
  }

  /** Resolves when the check under way has ended. */
  stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    return this.last;
  }

  private async dropMonths(): Promise<void> {
    const { months, clock, logger, hasMonthsBefore, prepareDrop, nowMs, commit, purge } = this.options;
    if (!this.clockIsTrusted()) return;
    const beforeMs = keptFromMs(clock.nowMs(), months);
    if (!hasMonthsBefore(beforeMs)) return;
    for (const _ of prepareDrop(beforeMs)) {
      // Hits come in between.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.stopped) return;
    }
    await commit({ kind: "monthsDropped", timeMs: nowMs(), beforeMs });
    logger.info("old statistics were deleted", { before: new Date(beforeMs).toISOString().slice(0, 7) });
    await purge();
  }

  private clockIsTrusted(): boolean {
    const { clock } = this.options;
    const apartMs = Math.abs(clock.nowMs() - clock.monotonicMs() - this.aheadMs);
    if (apartMs > toleranceMs) this.watchFromNow();
    return clock.monotonicMs() - this.agreedSinceMs >= trustedAfterMs;
  }

  private watchFromNow(): void {
    const { clock } = this.options;
    this.agreedSinceMs = clock.monotonicMs();
    this.aheadMs = clock.nowMs() - this.agreedSinceMs;
  }

  private failed(error: unknown): void {
    this.options.logger.error("old statistics could not be deleted yet", { error: String(error) });
  }
}
