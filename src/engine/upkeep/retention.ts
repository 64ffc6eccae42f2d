/**
 * Deletes statistics that are too old to be kept: whole UTC months, by a record of the log, once the clock is trusted.
 */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { LogRecord } from "../../record/record.ts";
import type { ClockTrust } from "../options/options.ts";
import { Periodic } from "./periodic.ts";

const checkEveryMs = 3_600_000;

/**
 * When this many percent of the bytes of a website's names belong to no row any more, its names get new ids and its
 * files are written again. Until then names of dropped months stay in the files.
 */
export const deadPercent = 30;
/** No website reaches so many percent: all keep their ids and their files. */
const neverPercent = 101;

export interface RetentionOptions {
  readonly months: number;
  readonly clock: Clock;
  readonly trusted: ClockTrust;
  readonly logger: Logger;
  /** Returns whether there are statistics of months that start before `monthMs`. */
  readonly hasMonthsBefore: (monthMs: number) => boolean;
  /**
   * Reads what the drop of those months needs, in steps, and the checkpoint after it. Throws if that cannot be read: then
   * the drop must not be logged.
   */
  readonly prepareDrop: (monthMs: number) => Iterable<void>;
  /** Whether there is room to write the remaining data again: without it, months go and their names stay. */
  readonly canRewrite: () => boolean;
  /** The log's time. */
  readonly nowMs: () => number;
  /** Runs `act` while no checkpoint is under way: chunks are not merged then, nor files removed. */
  readonly between: <T>(act: () => Promise<T>) => Promise<T>;
  /** Resolves when the record is applied. */
  readonly commit: (record: LogRecord) => Promise<unknown>;
  /** Resolves when no file contains the deleted data any more. */
  readonly purge: () => Promise<void>;
}

/** Returns the start of the oldest UTC month that is kept: some part of it is younger than `months` months. 0 for all. */
export function keptFromMs(nowMs: number, months = Infinity): number {
  if (months === Infinity) return 0;
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months);
}

export class Retention {
  private readonly checks: Periodic;

  constructor(private readonly options: RetentionOptions) {
    const onError = (error: unknown) =>
      options.logger.error("old statistics could not be deleted yet", { error: String(error) });
    this.checks = new Periodic(checkEveryMs, () => this.dropMonths(), onError);
  }

  /** Drops what is too old, if the clock can be trusted. Never rejects: the next check tries again. */
  check(): Promise<void> {
    return this.checks.round();
  }

  /** Resolves when the check under way has ended. */
  stop(): Promise<void> {
    return this.checks.stop();
  }

  private async dropMonths(): Promise<void> {
    const { months, clock, trusted, logger, hasMonthsBefore, between, purge } = this.options;
    const beforeMs = keptFromMs(clock.nowMs(), months);
    const isDue = () => hasMonthsBefore(beforeMs);
    if (!trusted.isTrusted(isDue) || !isDue()) return;
    if (!(await between(() => this.dropBefore(beforeMs)))) return;
    logger.info("old statistics were deleted", { before: new Date(beforeMs).toISOString().slice(0, 7) });
    await purge();
  }

  /** Resolves to whether it did: a stop may come first. */
  private async dropBefore(beforeMs: number): Promise<boolean> {
    const { prepareDrop, canRewrite, nowMs, commit } = this.options;
    for (const _ of prepareDrop(beforeMs)) if (!(await this.checks.pause())) return false;
    const percent = canRewrite() ? deadPercent : neverPercent;
    await commit({ kind: "monthsDropped", timeMs: nowMs(), beforeMs, deadPercent: percent });
    return true;
  }
}
