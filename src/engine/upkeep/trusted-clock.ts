/**
 * Whether the wall clock can be trusted with history: a wrong clock must never cost any. It is trusted only after it has run
 * in step with the monotonic clock for 24 hours. The hours so far are kept in a file, so that a start goes on with them if
 * its clock is at most a day ahead of the last one that was seen; a clock that is further ahead, or behind, begins anew. So
 * does a machine that slept or whose clock was set. A clock that is over a month ahead of the last time that was trusted may
 * go on steadily and be years ahead, as after a boot without NTP: it needs 14 days, in which somebody sees it. In a cluster each
 * node counts, also while another one appends.
 */
import { join } from "node:path";
import { dayMs } from "../../core/hit.ts";
import { isTooEarly } from "../log/early-clock.ts";
import { DiskError, replaceFile } from "../../lib/disk/disk.ts";
import { diskFailure } from "../../lib/disk/failure.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { ClockTrust, EngineOptions } from "../options/options.ts";
import { Periodic } from "./periodic.ts";
import { ClockWatch, toleranceMs } from "./clock-watch.ts";

const trustedAfterMs = dayMs;
const farAheadMs = 31 * dayMs;
const farTrustedAfterMs = 14 * dayMs;
const noteEveryMs = 3_600_000;
/** A month is dropped or reduced too early by no more than this, if a clock goes wrong between two starts. */
const awayMsMax = dayMs;
/**
 * The file has three decimal numbers: the last time that was seen, for how long the clock had gone right, and the last time at
 * which it was trusted, all in milliseconds.
 */
const fileName = "clock";

export interface TrustedClockOptions extends Pick<EngineOptions, "io" | "folder" | "clock" | "logger"> {
  /** The time of the last record of the log; 0 for none. */
  readonly lastMs: number;
  /** Whether the folder is still this engine's. */
  readonly isOurs: () => boolean;
}

export class TrustedClock extends Periodic implements ClockTrust {
  private readonly watch: ClockWatch;
  /** The last time at which the clock was trusted; as long as it never was, that of the last record at the first start. */
  private believedMs: number;
  private readonly line: Seldom;

  constructor(private readonly options: TrustedClockOptions) {
    super(noteEveryMs);
    this.line = new Seldom(options.clock, dayMs);
    const { agreedMs, believedMs = options.lastMs || options.clock.nowMs() } = this.seenBefore();
    this.believedMs = believedMs;
    this.watch = new ClockWatch(options.clock, agreedMs);
  }

  /**
   * Returns whether the clock can be trusted, and keeps what was seen of it. While it cannot be, and `isDue` says that
   * something waits for it, a line a day says so.
   */
  isTrusted(isDue: () => boolean): boolean {
    const { logger } = this.options;
    const { isFarAhead, believedMs } = this;
    this.note();
    const waitMs = (isFarAhead ? farTrustedAfterMs : trustedAfterMs) - this.watch.agreedMs();
    if (waitMs <= 0) return true;
    if (!isDue() || !this.line.isDue()) return false;
    const hours = Math.ceil(waitMs / 3_600_000);
    if (isFarAhead) {
      const trusted = new Date(believedMs).toISOString();
      const text = "the clock is over a month ahead: what is due to be deleted or reduced waits for 14 days";
      logger.warn(text, { hours, trusted });
    } else
      logger.info("months are due to be deleted or reduced, and wait until the clock is trusted", { hours });
    return false;
  }

  /** Whether the clock is so far ahead of the last time that was trusted that it may be wrong by years. */
  private get isFarAhead(): boolean {
    // A folder that began with such a clock had nothing yet.
    if (isTooEarly(this.believedMs)) return false;
    return this.options.clock.nowMs() - this.believedMs > farAheadMs;
  }

  protected async work(): Promise<void> {
    this.note();
  }

  protected failed(error: unknown): void {
    this.options.logger.error("it could not be noted how the clock goes", { error: String(error) });
  }

  /** Keeps what was seen of the clock, and looks at it no more. */
  override stop(): Promise<void> {
    const stopped = super.stop();
    this.note();
    return stopped;
  }

  /** Keeps what was seen of the clock, for the next start. Without it, that waits longer. */
  private note(): void {
    const { clock, io, folder, isOurs } = this.options;
    if (!isOurs()) return;
    const agreedMs = Math.floor(Math.min(this.watch.agreedMs(), farTrustedAfterMs));
    const isTrusted = agreedMs >= (this.isFarAhead ? farTrustedAfterMs : trustedAfterMs);
    if (isTrusted) this.believedMs = Math.max(this.believedMs, clock.nowMs());
    const text = `${clock.nowMs()} ${agreedMs} ${this.believedMs}\n`;
    diskFailure(() => replaceFile(io.disk, join(folder, fileName), Buffer.from(text)));
  }

  /**
   * Returns for how long the clock of earlier starts had gone right, if it is the same now, and when it was trusted; earlier
   * versions did not note that.
   */
  private seenBefore(): { readonly agreedMs: number; readonly believedMs?: number | undefined } {
    const { clock, io, folder } = this.options;
    try {
      const text = Buffer.from(io.disk.read(join(folder, fileName))).toString();
      const parts = /^(\d{1,15}) (\d{1,10})(?: (\d{1,15}))?\n$/.exec(text)?.slice(1) ?? [];
      const [seenMs, agreedMs, believedMs] = parts.map((part) => (part === undefined ? part : Number(part)));
      if (seenMs === undefined || agreedMs === undefined) return { agreedMs: 0 };
      const awayMs = clock.nowMs() - seenMs;
      const isSame = awayMs >= -toleranceMs && awayMs <= awayMsMax;
      return { agreedMs: isSame ? Math.min(agreedMs, farTrustedAfterMs) : 0, believedMs };
    } catch (error) {
      if (error instanceof DiskError) return { agreedMs: 0 };
      throw error;
    }
  }
}
