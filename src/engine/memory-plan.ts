/**
 * Who may use how much of the memory that the server is given, in bytes: settings of speed, never of answers. Infinity
 * is no bound.
 */

/** Of one thread. */
export interface MemoryShare {
  /** The bound of everything that is counted: the cache of questions, scratch and mapped files. */
  readonly bytes: number;
  /** The share of the cache of questions. */
  readonly cache: number;
}

const ownCacheMax = 2 ** 24;
const workerCacheMin = 2 ** 26;
/** Copies of the rows that match a few filters at once. */
const cacheOfFinished = 1 / 8;

/** Of the thread that takes hits: small websites, and what it reads itself of finished months. */
export function ownMemory(bytes: number): MemoryShare {
  const cache = Math.min(bytes / 16, ownCacheMax);
  return { bytes: bytes / 8 + cache, cache };
}

/** The share of the Worker that answers questions: all the rest. `finished`: bytes in the files of sealed chunks. */
export function workerMemory(bytes: number, finished: number): MemoryShare {
  const cache = Math.min(bytes / 4, Math.max(workerCacheMin, finished * cacheOfFinished));
  return { bytes: (bytes * 7) / 8 - ownMemory(bytes).cache, cache };
}
