/** Reads from the system the memory of a running process. */
import { readFileSync } from "node:fs";

export interface Memory {
  /** All that is resident, mapped files and the executable's own pages too. */
  readonly residentMb: number;
  /** The memory of the process alone. Pages of files are the kernel's, which takes them back when it needs them. */
  readonly anonymousMb: number;
}

/** In units of 1,000,000 bytes. */
export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => {
    const [, kibibytes] = new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(status) ?? [];
    if (kibibytes === undefined) throw new Error(`/proc/${pid}/status has no ${name}`);
    return (Number(kibibytes) * 1_024) / 1e6;
  };
  return { residentMb: megabytes("VmRSS"), anonymousMb: megabytes("RssAnon") };
}

/** User and system time of all threads, from /proc; a tick is 1/100 s on Linux. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const lookMs = 1_000;
const restSeconds = 0.02;

/** Until it has next to nothing to do for a while, or for as long as there is patience. */
export async function untilAtRest(pid: number, patienceMs: number): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (let quiet = 0; quiet < 3 && performance.now() < untilMs;) {
    const before = cpuSeconds(pid);
    await Bun.sleep(lookMs);
    quiet = cpuSeconds(pid) - before < restSeconds ? quiet + 1 : 0;
  }
}
