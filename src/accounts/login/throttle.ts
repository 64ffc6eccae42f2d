/**
 * Slows down guessing of passwords. After 10 wrong ones in 15 minutes for a key, each further one has to wait, longer and
 * longer up to a minute. Nobody is locked out: after the wait the right password works. Failures are kept in memory only,
 * and bounded in number. What a key stands for (a name and an address, a session) is left to the guard.
 */
import type { Clock } from "../../lib/clock.ts";
import { Lru } from "../../lib/collections/lru.ts";

/** The failures in the window after which there is a wait. Exported for tests. */
export const freeFailures = 10;
/** The time for which failures count. Exported for tests. */
export const failureWindowMs = 15 * 60_000;
const waitMsMin = 2_000;
/** The longest wait. Exported for tests. */
export const waitMsMax = 60_000;
/** Failures to keep beyond those that are free: further ones in the window would not make the wait longer. */
const failuresKept = Math.ceil(Math.log2(waitMsMax / waitMsMin));
const keysMax = 10_000;

export class Throttle {
  /** The monotonic times of the latest failures, by key. */
  private readonly failures = new Lru<string, readonly number[]>(keysMax);

  /** `free`: the failures in the window after which there is a wait. */
  constructor(
    private readonly clock: Clock,
    private readonly free = freeFailures,
  ) {}

  /** Returns the whole seconds that a key has to wait, 0 when the next password may be checked. */
  waitS(key: string): number {
    const times = this.recent(key);
    if (times.length < this.free) return 0;
    const waitMs = Math.min(waitMsMin * 2 ** (times.length - this.free), waitMsMax);
    const leftMs = times.at(-1)! + waitMs - this.clock.monotonicMs();
    return Math.max(0, Math.ceil(leftMs / 1_000));
  }

  failed(key: string): void {
    this.failures.set(
      key,
      [...this.recent(key), this.clock.monotonicMs()].slice(-(this.free + failuresKept)),
    );
  }

  succeeded(key: string): void {
    this.failures.delete(key);
  }

  private recent(key: string): readonly number[] {
    const sinceMs = this.clock.monotonicMs() - failureWindowMs;
    return (this.failures.get(key) ?? []).filter((timeMs) => timeMs > sinceMs);
  }
}
