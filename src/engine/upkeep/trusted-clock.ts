/**
 * Whether the wall clock can be trusted with history: a wrong clock must never cost any. It is trusted only after it has run
 * in step with the monotonic clock for 24 hours. The hours so far are kept in a file, so that a start goes on with them if
 * its clock is at most a day ahead of the last one that was seen; a clock that is further ahead, or behind, begins anew. So
 * does a machine that slept or whose clock was set. In a cluster each node counts, also while another one appends.
 */
import { join } from "node:path";
import { dayMs } from "../../core/hit.ts";
import type { Clock } from "../../lib/clock.ts";
import { DiskError, replaceFile, type Disk } from "../../lib/disk/disk.ts";
import type { Logger } from "../../lib/log.ts";
import { Seldom } from "../../lib/seldom.ts";
import type { ClockTrust } from "../options/options.ts";
import { Periodic } from "./periodic.ts";
import { ClockWatch, toleranceMs } from "./clock-watch.ts";

const trustedAfterMs = dayMs;
const noteEveryMs = 3_600_000;
/** A month is dropped or reduced too early by no more than this, if a clock goes wrong between two starts. */
const awayMsMax = dayMs;
/** The file has two decimal numbers: the last time that was seen, and for how long the clock had gone right, in milliseconds. */
const fileName = "clock";

export interface TrustedClockOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  readonly folder: string;
  /** Whether the folder is still this engine's. */
  readonly isOurs: () => boolean;
}

export class TrustedClock implements ClockTrust {
  private readonly watch: ClockWatch;
  private readonly line: Seldom;
  private readonly notes: Periodic;

  constructor(private readonly options: TrustedClockOptions) {
    this.line = new Seldom(options.clock, dayMs);
    this.watch = new ClockWatch(options.clock, this.agreedBeforeMs());
    const onError = (error: unknown) =>
      options.logger.error("it could not be noted how the clock goes", { error: String(error) });
    this.notes = new Periodic(noteEveryMs, async () => this.note(), onError);
  }

  /**
   * Returns whether the clock can be trusted, and keeps what was seen of it. While it cannot be, and `isDue` says that
   * something waits for it, a line a day says so.
   */
  isTrusted(isDue: () => boolean): boolean {
    this.note();
    const waitMs = trustedAfterMs - this.watch.agreedMs();
    if (waitMs <= 0) return true;
    if (isDue() && this.line.isDue())
      this.options.logger.info(
        "months are due to be deleted or reduced, and wait until the clock is trusted",
        {
          hours: Math.ceil(waitMs / 3_600_000),
        },
      );
    return false;
  }

  /** Keeps what was seen of the clock, and looks at it no more. */
  stop(): void {
    void this.notes.stop();
    this.note();
  }

  /** Keeps what was seen of the clock, for the next start. Without it, that waits longer. */
  private note(): void {
    const { clock, disk, folder, isOurs } = this.options;
    if (!isOurs()) return;
    const agreedMs = this.watch.agreedMs();
    try {
      const text = `${clock.nowMs()} ${Math.floor(Math.min(agreedMs, trustedAfterMs))}\n`;
      replaceFile(disk, join(folder, fileName), Buffer.from(text));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
    }
  }

  /** Returns for how long the clock of earlier starts had gone right, if it is the same now. */
  private agreedBeforeMs(): number {
    const { clock, disk, folder } = this.options;
    try {
      const text = Buffer.from(disk.read(join(folder, fileName))).toString();
      const [, seenMs, agreedMs] = /^(\d{1,15}) (\d{1,8})\n$/.exec(text)?.map(Number) ?? [];
      if (seenMs === undefined || agreedMs === undefined) return 0;
      const awayMs = clock.nowMs() - seenMs;
      return awayMs >= -toleranceMs && awayMs <= awayMsMax ? Math.min(agreedMs, trustedAfterMs) : 0;
    } catch (error) {
      if (error instanceof DiskError) return 0;
      throw error;
    }
  }
}
