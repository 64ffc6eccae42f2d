/** The time that records have: that of the wall clock, which does not fall by a little. */
import type { Clock } from "../../lib/clock.ts";

/** If the clock goes back by less than this, log time stands still. A larger step back is followed. */
const clampedStepMs = 5_000;

/** A server that was off for less is as one that was there. */
const offMsMin = 3_600_000;

/**
 * Returns until when a server that starts was off, as far as its log tells: 0 for a new one, and for one that was off for
 * less than an hour. `lastMs`: the time of its last record.
 */
export function offUntil(lastMs: number, startMs: number): number {
  return lastMs > 0 && startMs - lastMs >= offMsMin ? startMs : 0;
}

export class LogTime {
  constructor(
    private readonly clock: Clock,
    /** The greatest time of a record. */
    public lastMs: number,
  ) {}

  nowMs(): number {
    const wallMs = this.clock.nowMs();
    const fallen = this.lastMs - wallMs;
    this.lastMs = fallen > 0 && fallen < clampedStepMs ? this.lastMs : wallMs;
    return this.lastMs;
  }

  /** Takes note of the time of a record. */
  note(timeMs: number): void {
    this.lastMs = Math.max(this.lastMs, timeMs);
  }
}
