/** Thread priorities: they decide which threads run first when there is more work than processors. */
import { getPriority, setPriority } from "node:os";

const background = 10;

/**
 * Makes all other threads run first, unless they did before. Linux only, where the call is about the thread that makes it:
 * elsewhere a priority applies to the whole process.
 */
export function goLast(): void {
  if (process.platform !== "linux" || getPriority() >= background) return;
  try {
    setPriority(background);
  } catch {
    // A sandbox may forbid the call. The work is done all the same.
  }
}
