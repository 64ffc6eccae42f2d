/**
 * A hash for tables in memory. Its seed is new in every process, so that nobody outside can choose values that collide.
 * Nothing that is stored or shown may therefore depend on it.
 */

/** Returns the hash of the bytes from `start` up to `end` as an unsigned 32-bit integer. */
export type ByteHash = (bytes: Uint8Array, start: number, end: number) => number;

const processSeed = crypto.getRandomValues(new Uint32Array(1))[0]!;

export const processHash: ByteHash = (bytes, start, end) => byteHash(bytes, start, end, processSeed);

/**
 * Mixes in four bytes at a time, then the rest one by one, by multiplication; finishes as MurmurHash3's fmix32 does.
 * Exported for tests.
 */
export function byteHash(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mixed(hash, word(bytes, at));
  for (; at < end; at++) hash = mixed(hash, bytes[at]!);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mixed(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return product ^ (product >>> 15);
}

function word(bytes: Uint8Array, at: number): number {
  const low = bytes[at]! | (bytes[at + 1]! << 8);
  const high = bytes[at + 2]! | (bytes[at + 3]! << 8);
  return low | (high << 16);
}
