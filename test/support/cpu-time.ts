/** Measures how long something has worked: work of others on the same machine does not count. */

/** Milliseconds of this thread. */
export function cpuMs(): number {
  return inMs(process.threadCpuUsage());
}

/** Milliseconds of all threads of this process. */
export function processCpuMs(): number {
  return inMs(process.cpuUsage());
}

function inMs({ user, system }: { readonly user: number; readonly system: number }): number {
  return (user + system) / 1_000;
}
