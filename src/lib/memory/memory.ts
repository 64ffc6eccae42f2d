/** The amount of memory to plan with. */
import { totalmem } from "node:os";

/** Returns the bytes of the machine, or those that the process is limited to (by its cgroup), whichever are fewer. */
export function memoryBytes(): number {
  const machine = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(machine, limit) : machine;
}
