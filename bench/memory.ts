/** What the system says of a running process. */
import { readFileSync } from "node:fs";

export interface Memory {
  /** All that is resident, mapped files and the executable's own pages too. */
  readonly residentMb: number;
  /** What belongs to the process alone: pages of files are the kernel's, which takes them back when it needs them. */
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
