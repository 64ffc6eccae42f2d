/**
 * File descriptors that connections cannot use up: the process holds itself to fewer than it may have, and a file that
 * cannot be opened for want of one is opened beyond that. So this is also the bound on connections, of which Bun has none.
 * Linux only: elsewhere there is neither.
 */
import { callLibc } from "./libc.ts";

/** RLIMIT_NOFILE of setrlimit(2) on Linux. */
const openFiles = 7;
/** Log, checkpoint, mapped files and the control socket have about ten open at once; a smaller part of a small limit. */
const reservedMax = 256n;
const reservedShare = 8n;

/**
 * From now on there is a reserve, and connections have at most so many descriptors: those that are open already count as
 * well, which are few.
 */
export function reserveDescriptors(connectionsMax: number): void {
  if (process.platform !== "linux") return;
  const { hard } = limits();
  const share = hard / reservedShare;
  const most = hard - (share < reservedMax ? share : reservedMax);
  setLimits(connectionsMax < most ? BigInt(connectionsMax) : most, hard);
}

/** Nothing is asked for first: nearly always a descriptor is left. */
const noReserve = { soft: 0n, hard: 0n };
/** Threads may take the reserve away from each other in the middle: it is tried so many times, which takes microseconds each. */
const triesMax = 100;

/** Calls `open`, and again with the reserve while it throws EMFILE. It must have done nothing where it throws that. */
export function withReserve<T>(open: () => T): T {
  for (let tries = 0; ; tries++) {
    const { soft, hard } = tries === 0 ? noReserve : limits();
    // Only who found the lower limit sets it back: where it is raised, another thread does.
    if (soft < hard) setLimits(hard, hard);
    try {
      return open();
    } catch (error) {
      const isFull = (error as { code?: unknown }).code === "EMFILE" && process.platform === "linux";
      if (!isFull || tries === triesMax) throw error;
    } finally {
      if (soft < hard) setLimits(soft, hard);
    }
  }
}

function limits(): { readonly soft: bigint; readonly hard: bigint } {
  const both = new BigUint64Array(2);
  callLibc("getrlimit", openFiles, both);
  return { soft: both[0]!, hard: both[1]! };
}

/** Sets both limits; a limit that cannot be set stays as it is. */
function setLimits(soft: bigint, hard: bigint): void {
  callLibc("setrlimit", openFiles, BigUint64Array.of(soft, hard));
}
