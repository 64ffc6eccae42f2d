/**
 * Whether the wall clock can be trusted with history: a wrong clock must never cost any. It is trusted only after it has run
 * in step with the monotonic clock for 24 hours. This observation is not stored: every start waits 24 hours again, and so
 * does a machine that slept or whose clock was set.
 */
import { dayMs } from "../../core/hit.ts";
import type { Clock } from "../../lib/clock.ts";

const trustedAfterMs = dayMs;
/**
 * The clocks agree as long as their difference changes by no more than this, in milliseconds: then the clock was
 * adjusted slowly and not set.
 */
const toleranceMs = 120_000;

export class TrustedClock {
  /** The wall clock's lead over the monotonic clock, and the monotonic time since which it has been constant. */
  private aheadMs = 0;
  private agreedSinceMs = 0;

  constructor(private readonly clock: Clock) {
    this.watchFromNow();
  }

  /** Call it at least once an hour. */
  get isTrusted(): boolean {
    const { clock } = this;
    const apartMs = Math.abs(clock.nowMs() - clock.monotonicMs() - this.aheadMs);
    if (apartMs > toleranceMs) this.watchFromNow();
    return clock.monotonicMs() - this.agreedSinceMs >= trustedAfterMs;
  }

  private watchFromNow(): void {
    const { clock } = this;
    this.agreedSinceMs = clock.monotonicMs();
    this.aheadMs = clock.nowMs() - this.agreedSinceMs;
  }
}
