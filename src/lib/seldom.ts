/** Keeps a line of the log from filling it: what happens again and again is said at most once in a time. */
import type { Clock } from "./clock.ts";

export class Seldom {
  private saidMs = -Infinity;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly everyMs: number,
  ) {}

  /** Returns whether it is time to say it, and takes it as said then. */
  isDue(): boolean {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.saidMs < this.everyMs) return false;
    this.saidMs = nowMs;
    return true;
  }
}
