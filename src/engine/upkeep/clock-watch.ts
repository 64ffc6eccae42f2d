/** Watches for how long the wall clock has run in step with the monotonic one: nobody set it, and the machine did not sleep. */
import type { Clock } from "../../lib/clock.ts";

/**
 * The clocks agree as long as their difference changes by no more than this, in milliseconds: then the clock was
 * adjusted slowly and not set.
 */
export const toleranceMs = 120_000;

export class ClockWatch {
  /** The wall clock's lead over the monotonic clock, and the monotonic time since which it has been constant. */
  private aheadMs = 0;
  private sinceMs = 0;

  /** `agreedBeforeMs`: for how long they are known to have agreed already. */
  constructor(
    private readonly clock: Clock,
    agreedBeforeMs = 0,
  ) {
    this.begin();
    this.sinceMs -= agreedBeforeMs;
  }

  /** Returns for how long the clocks have agreed, in milliseconds, as far as calls of this saw them. */
  agreedMs(): number {
    const apartMs = Math.abs(this.clock.nowMs() - this.clock.monotonicMs() - this.aheadMs);
    if (apartMs > toleranceMs) this.begin();
    return this.clock.monotonicMs() - this.sinceMs;
  }

  private begin(): void {
    this.sinceMs = this.clock.monotonicMs();
    this.aheadMs = this.clock.nowMs() - this.sinceMs;
  }
}
