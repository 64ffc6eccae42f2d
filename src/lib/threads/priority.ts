/** Thread priorities: they decide which threads run first when there is more work than processors. */
import { callLibc } from "../disk/libc.ts";

/** The arguments of setpriority(2): PRIO_PROCESS, which on Linux means one thread, and 0 for the calling one. */
const thisThread = [0, 0] as const;
const background = 10;

/** Makes all other threads run first. Linux only: elsewhere a priority applies to the whole process. */
export function goLast(): void {
  if (process.platform === "linux") callLibc("setpriority", ...thisThread, background);
}
