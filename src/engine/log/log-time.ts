/** The time that records have: that of the wall clock, which does not fall by a little. */
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { isTooEarly } from "./early-clock.ts";

/** If the clock goes back by less than this, log time stands still. A larger step back is followed. */
const clampedStepMs = 5_000;

/** A server that was off for less is as one that was there. */
const offMsMin = 3_600_000;

export class LogTime {
  /** The wall clock's lead over the monotonic one, when it was last read. */
  private aheadMs: number;
  private readonly startMs: number;
  private offMs: number;
  /** The greatest time of a record, that of the last one, and the last hour or more without any. */
  private greatestMs: number;
  private recordMs: number;
  private silence = { fromMs: 0, untilMs: 0 };
  private isToldEarly = false;

  constructor(
    private readonly clock: Clock,
    /** The greatest time of a record. */
    public lastMs: number,
    private readonly logger: Logger,
  ) {
    this.startMs = clock.nowMs();
    this.aheadMs = this.startMs - clock.monotonicMs();
    this.greatestMs = this.recordMs = lastMs;
    this.offMs = this.startMs - lastMs >= offMsMin ? this.startMs : 0;
  }

  nowMs(): number {
    const wallMs = this.readMs();
    const fallen = this.lastMs - wallMs;
    this.lastMs = fallen > 0 && fallen < clampedStepMs ? this.lastMs : wallMs;
    return this.lastMs;
  }

  /** Until when the server was off for an hour or more, as far as its log and its clocks tell; 0 for never. */
  get offUntilMs(): number {
    this.readMs();
    return this.offMs;
  }

  /** Takes note of the time of a record. */
  note(timeMs: number): void {
    this.lastMs = Math.max(this.lastMs, timeMs);
    const fromMs = this.recordBefore(timeMs);
    if (timeMs - fromMs >= offMsMin) this.silence = { fromMs, untilMs: timeMs };
    this.greatestMs = Math.max(this.greatestMs, timeMs);
    this.recordMs = timeMs;
  }

  /**
   * Returns the time of the record before `timeMs`. The last one may tell of what was hours before it could be logged, and the
   * greatest time may be that of a clock that was ahead, and set right since.
   */
  private recordBefore(timeMs: number): number {
    return this.greatestMs <= timeMs ? this.greatestMs : this.recordMs;
  }

  /**
   * Takes note that a node of a cluster was apart from the log until now, and has all of it again. Where it has no record of an
   * hour of that time, no node could append: all were as good as off.
   */
  noteApart(ms: number): void {
    if (ms < offMsMin) return;
    const nowMs = this.readMs();
    const beforeMs = this.recordBefore(nowMs);
    const isSilent = nowMs - beforeMs >= offMsMin;
    const { fromMs, untilMs } = isSilent ? { fromMs: beforeMs, untilMs: nowMs } : this.silence;
    if (untilMs - Math.max(fromMs, nowMs - ms) >= offMsMin) this.offMs = untilMs;
  }

  /**
   * Takes note of the time of a record that a node of the cluster appended: it may have been there while this one was off, or was
   * off itself until then.
   */
  noteOther(timeMs: number): void {
    const awayMs = this.startMs - timeMs;
    if (this.offMs !== this.startMs || awayMs <= 0 || awayMs >= offMsMin) return;
    this.offMs = this.lastMs > 0 && timeMs - this.lastMs >= offMsMin ? timeMs : 0;
  }

  /**
   * Reads the wall clock. Where it was set by an hour or more, or the machine slept for so long, the server was as good as off
   * until now: in the time before, nothing was counted, or with times of another day.
   */
  private readMs(): number {
    const wallMs = this.clock.nowMs();
    const aheadMs = wallMs - this.clock.monotonicMs();
    if (Math.abs(aheadMs - this.aheadMs) >= offMsMin) this.offMs = wallMs;
    this.aheadMs = aheadMs;
    if (isTooEarly(wallMs) !== this.isToldEarly) this.tellEarly(wallMs);
    return wallMs;
  }

  private tellEarly(wallMs: number): void {
    this.isToldEarly = !this.isToldEarly;
    const clock = new Date(wallMs).toISOString();
    if (this.isToldEarly) this.logger.error("hits are refused while the clock is before 2025", { clock });
    else this.logger.info("the clock was set: hits are taken", { clock });
  }
}
