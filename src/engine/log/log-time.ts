/** The time that records have: that of the wall clock, which does not fall by a little. */
import type { Clock } from "../../lib/clock.ts";

/** If the clock goes back by less than this, log time stands still. A larger step back is followed. */
const clampedStepMs = 5_000;

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
