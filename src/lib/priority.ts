/** Which threads go first where there are fewer processors than work. */
import { callLibc } from "./libc.ts";

/** PRIO_PROCESS of setpriority(2), which on Linux means one thread; 0 is the one that calls. */
const thisThread = [0, 0] as const;
const background = 10;

/** Lets all other threads go first. Linux only: elsewhere a priority is the whole process's. */
export function goLast(): void {
  if (process.platform === "linux") callLibc("setpriority", ...thisThread, background);
}
