/**
 * File descriptors that connections cannot use up: the process holds itself to fewer than it may have, and a file that
 * cannot be opened for want of one is opened beyond that. Linux only: elsewhere there is no reserve.
 */
import { callLibc } from "./libc.ts";

/** RLIMIT_NOFILE of setrlimit(2) on Linux. */
const openFiles = 7;
/** Log, checkpoint, mapped files and the control socket have about ten open at once; a smaller part of a small limit. */
const reservedMax = 256n;
const reservedShare = 8n;

/** From now on there is a reserve. */
export function reserveDescriptors(): void {
  if (process.platform === "linux") hold(hardLimit());
}

/** Calls `open`, and once more with the reserve if it throws EMFILE. It must have done nothing where it throws that. */
export function withReserve<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EMFILE" || process.platform !== "linux") throw error;
  }
  const hard = hardLimit();
  setLimits(hard, hard);
  try {
    return open();
  } finally {
    hold(hard);
  }
}

function hold(hard: bigint): void {
  const share = hard / reservedShare;
  setLimits(hard - (share < reservedMax ? share : reservedMax), hard);
}

function hardLimit(): bigint {
  const limits = new BigUint64Array(2);
  callLibc("getrlimit", openFiles, limits);
  return limits[1]!;
}

/** Sets both limits; a limit that cannot be set stays as it is. */
function setLimits(soft: bigint, hard: bigint): void {
  callLibc("setrlimit", openFiles, BigUint64Array.of(soft, hard));
}
