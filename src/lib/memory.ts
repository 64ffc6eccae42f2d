/** How much memory there is to plan with. */
import { totalmem } from "node:os";

/** Bytes of the machine, or of what the process is held to (its cgroup's limit), whichever are fewer. */
export function memoryBytes(): number {
  const machine = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(machine, limit) : machine;
}
