/**
 * Who may use how much of the memory that the server is given, in bytes: settings of speed, never of answers. Infinity
 * is no bound.
 */

/** Of one thread. */
export interface MemoryShare {
  /** Of everything that is counted: what questions leave to the next, scratch and mapped files. */
  readonly bytes: number;
  /** Of it, for what questions leave to the next. */
  readonly derived: number;
}

const ownDerivedMax = 2 ** 24;
const deskDerivedMin = 2 ** 26;
/** Copies of the rows that match a few filters at once. */
const derivedOfFinished = 1 / 8;

/** Of the thread that takes hits: small websites, and what it reads itself of finished months. */
export function ownMemory(bytes: number): MemoryShare {
  const derived = Math.min(bytes / 16, ownDerivedMax);
  return { bytes: bytes / 8 + derived, derived };
}

/** Of the desk: all the rest. `finished`: how much there is in the files of finished months. */
export function deskMemory(bytes: number, finished: number): MemoryShare {
  const derived = Math.min(bytes / 4, Math.max(deskDerivedMin, finished * derivedOfFinished));
  return { bytes: (bytes * 7) / 8 - ownMemory(bytes).derived, derived };
}
