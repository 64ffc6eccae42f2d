/** How long something has worked: what others do on the same machine meanwhile does not count. */

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
