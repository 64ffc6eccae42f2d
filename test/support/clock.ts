import type { Clock } from "../../src/lib/clock.ts";
import type { Random } from "../../src/lib/random.ts";
import { randomFrom } from "./random.ts";
import { noonMs } from "./records.ts";

/** A clock that stands still until it is moved. */
export class TestClock implements Clock {
  private setByMs = 0;

  constructor(private ms = noonMs) {}

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms - this.setByMs;
  }

  advance(ms: number): void {
    this.ms += ms;
  }

  /** Somebody sets the wall clock: the monotonic one does not see it. */
  set(ms: number): void {
    this.setByMs += ms - this.ms;
    this.ms = ms;
  }
}

/** Bytes that a seed repeats. */
export function seededRandom(seed: number): Random {
  const random = randomFrom(seed);
  return { bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random() * 256)) };
}
