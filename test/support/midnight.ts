/** Keeps tests that send something today, and then look at today, away from midnight. */
import { dayMs } from "../../src/core/hit.ts";

/** On a busy machine a file of such tests takes about as long. */
const neededMs = 2 * 60_000;

/** Waits for the next day of UTC, which `bun test` has as its zone, where this one ends too soon. */
export async function untilDayLasts(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < neededMs) await Bun.sleep(leftMs);
}
