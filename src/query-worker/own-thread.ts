/**
 * Bounds the time that answers take of the thread that takes hits: a tenth of it, and half a second at once. So whoever
 * asks about a small website again and again, be it a stranger with a link, delays no hits.
 */
import type { Clock } from "../lib/clock.ts";

/**
 * Questions about a website with at most this many rows take about a millisecond, and by visit with filters up to fifty:
 * mostly less than asking another thread costs.
 */
export const smallRowsDefault = 300_000;
/** After an answer, hits have the thread for this many times as long as it took. */
const timesLeft = 10;
const owedMsMax = 5_000;

export class OwnThread {
  /** When as much time has been left as what was answered owes, by the monotonic clock. */
  private paidMs = -Infinity;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Whether there is time for another answer. */
  get hasTime(): boolean {
    return this.paidMs - this.clock.monotonicMs() < owedMsMax;
  }

  /** Returns what `act` returns, and counts its time. */
  run<T>(act: () => T): T {
    const begunMs = this.clock.monotonicMs();
    try {
      return act();
    } finally {
      const tookMs = this.clock.monotonicMs() - begunMs;
      this.paidMs = Math.max(this.paidMs, begunMs) + tookMs * timesLeft;
    }
  }
}
