/**
 * A clock that is before the program was written, as that of a machine without a battery is until NTP has set it. A page view of
 * 1970 would have "all time" begin there for ever, so none is counted meanwhile.
 */
import { Refusal } from "../../core/refusal.ts";

/** The start of the year before the program was written: some tests, and demos, count the days of a year that is over. */
const earliestMs = Date.UTC(2025, 0, 1);
const tryAgainS = 60;

export function isTooEarly(nowMs: number): boolean {
  return nowMs < earliestMs;
}

/** Throws Refusal 500 if hits would be counted by such a clock. */
export function expectClock(nowMs: number): void {
  if (isTooEarly(nowMs)) throw new Refusal(500, "the clock of the server is wrong: try again", tryAgainS);
}
