/** Keeps tests that send something today, and then look at today, away from midnight. */
import { dayMs, minuteMs } from "../../src/core/hit.ts";

/** On a busy machine a file of such tests takes about as long. */
const neededMs = 2 * minuteMs;

/**
 * Waits for the second minute of the next day of UTC, which `bun test` has as its zone, where this one ends too soon or has
 * just begun: in its first minute, what goes on until the same time of another day ends the day before that.
 */
export async function untilDayLasts(): Promise<void> {
  const leftMs = dayMs - ((Date.now() - minuteMs) % dayMs);
  if (leftMs < neededMs + minuteMs) await Bun.sleep(leftMs);
}
