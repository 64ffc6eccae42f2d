/**
 * Divides the memory that the server is given, in bytes. These are settings of speed, never of answers. Infinity means
 * no bound.
 */

/** The share of one thread. */
export interface MemoryShare {
  /** The bound on everything that is counted: the cache of questions, scratch memory and mapped files. */
  readonly bytes: number;
  /** The part of it for the cache of questions. */
  readonly cache: number;
}

/** The share of it that answers may take which clients are still reading. */
const answersShare = 1 / 8;
const answersMax = 64 * 1024 * 1024;
/** The most that a connection takes, the head of a request and what is read of it; there is room for as many as fit into all of it. */
const connectionBytes = 20 * 1024;
/** The connections that a server takes even with very little memory. */
const connectionsMin = 512;

const ownCacheMax = 2 ** 24;
const workerCacheMin = 2 ** 26;
/** The cache's part for finished months: enough to copy the rows that match a few filters at once. */
const cacheOfFinished = 1 / 8;

/** Returns the most bytes of answers that clients have not read yet. */
export function answersMemory(bytes: number): number {
  return Math.min(bytes * answersShare, answersMax);
}

/** Returns how many connections the server may have open. */
export function connectionsMax(bytes: number): number {
  return Math.max(connectionsMin, Math.floor(bytes / connectionBytes));
}

/** Returns the share of the thread that takes hits: for small websites, and what it reads itself of finished months. */
export function ownMemory(bytes: number): MemoryShare {
  const cache = Math.min(bytes / 16, ownCacheMax);
  return { bytes: bytes / 8 + cache, cache };
}

/**
 * Returns the share of the Worker that answers questions: all the rest. `finished`: the bytes of sealed chunks' files.
 */
export function workerMemory(bytes: number, finished: number): MemoryShare {
  const cache = Math.min(bytes / 4, Math.max(workerCacheMin, finished * cacheOfFinished));
  return { bytes: (bytes * 7) / 8 - ownMemory(bytes).cache, cache };
}
