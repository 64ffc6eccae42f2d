/** Time for work that goes on in later turns: immediates are real also where timers are moved by hand. */
import { jest } from "bun:test";
import type { TestClock } from "./clock.ts";

const hourMs = 3_600_000;

export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Moves a clock and the timers hour by hour, and lets what they start come to its end within `count` turns. */
export async function passHours(clock: TestClock, hours: number, count?: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    clock.advance(hourMs);
    jest.advanceTimersByTime(hourMs);
    await turns(count);
  }
}
