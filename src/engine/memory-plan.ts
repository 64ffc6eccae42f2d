/**
 * Who may use how much of the memory that the server is given, in bytes: settings of speed, never of answers. Infinity
 * is no bound on mappings.
 */

export interface MemoryShare {
  /** For what questions leave to the next. */
  readonly derived: number;
  /** Of mapped files together. */
  readonly mapped: number;
}

const ownDerivedMax = 2 ** 24;
const deskDerivedMin = 2 ** 26;
/** Copies of the rows that match a few filters at once. */
const derivedOfFinished = 1 / 8;

/** Of the thread that takes hits: small websites, and what it reads itself of finished months. */
export function ownMemory(bytes: number): MemoryShare {
  return { derived: Math.min(bytes / 16, ownDerivedMax), mapped: bytes / 8 };
}

/** Of the desk. `finished`: how much there is in the files of finished months. */
export function deskMemory(bytes: number, finished: number): MemoryShare {
  const own = ownMemory(bytes);
  const derived = Math.min(bytes / 4, Math.max(deskDerivedMin, finished * derivedOfFinished));
  return { derived, mapped: bytes - own.derived - own.mapped - derived };
}
