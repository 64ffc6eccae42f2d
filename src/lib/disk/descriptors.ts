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
export function reserveDescriptors(connectionsMax = Infinity): void {
  if (process.platform !== "linux") return;
  const { hard } = limits();
  const share = hard / reservedShare;
  const most = hard - (share < reservedMax ? share : reservedMax);
  setLimits(connectionsMax < most ? BigInt(connectionsMax) : most, hard);
}

/** Calls `open`, and once more with the reserve if it throws EMFILE. It must have done nothing where it throws that. */
export function withReserve<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EMFILE" || process.platform !== "linux") throw error;
  }
  const { soft, hard } = limits();
  setLimits(hard, hard);
  try {
    return open();
  } finally {
    // Another thread that is using the reserve sets it back.
    if (soft < hard) setLimits(soft, hard);
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
