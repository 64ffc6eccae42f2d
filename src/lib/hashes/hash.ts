/**
 * A hash for tables in memory. Its key is new in every process, so that nobody outside can choose values that collide: where
 * they could, each look into a table would compare thousands of values. Nothing that is stored or shown may depend on it.
 */

/** Returns the hash of the bytes from `start` up to `end` as an unsigned 32-bit integer. */
export type ByteHash = (bytes: Uint8Array, start: number, end: number) => number;

/** Two words. */
export type HashKey = Uint32Array;

/** The rounds after the last word. */
const finishingRounds = 3;

/** For hashes of a few numbers that strangers cannot choose freely. */
export const processSeed = crypto.getRandomValues(new Uint32Array(1))[0]!;

const processKey: HashKey = crypto.getRandomValues(new Uint32Array(2));

export const processHash: ByteHash = (bytes, start, end) => byteHash(bytes, start, end, processKey);

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein, “SipHash: a fast short-input PRF”, 2012, with words of 32 bits), as Linux has it
 * for its tables: without the key nobody finds values that collide, which a hash that only multiplies lets one do whatever its
 * seed is. Exported for tests.
 */
export function byteHash(bytes: Uint8Array, start: number, end: number, key: HashKey): number {
  const key0 = key[0]! | 0;
  const key1 = key[1]! | 0;
  let v0 = key0 | 0;
  let v1 = key1 | 0;
  let v2 = 0x6c796765 ^ key0;
  let v3 = 0x74656462 ^ key1;
  const whole = start + ((end - start) & ~3);
  for (let at = start; at <= whole; at += 4) {
    const word = at < whole ? wordAt(bytes, at) : lastWord(bytes, whole, end, end - start);
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = rotated(v1, 5) ^ v0;
    v0 = rotated(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotated(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotated(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotated(v1, 13) ^ v2;
    v2 = rotated(v2, 16);
    v0 ^= word;
  }
  v2 ^= 0xff;
  // The same round without a word: one loop for both would ask at each word which it is.
  for (let round = 0; round < finishingRounds; round++) {
    v0 = (v0 + v1) | 0;
    v1 = rotated(v1, 5) ^ v0;
    v0 = rotated(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotated(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotated(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotated(v1, 13) ^ v2;
    v2 = rotated(v2, 16);
  }
  return (v1 ^ v3) >>> 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function wordAt(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}

/** Returns the bytes that are left, fewer than four, with the length above them. */
function lastWord(bytes: Uint8Array, whole: number, end: number, length: number): number {
  let word = length << 24;
  for (let at = whole; at < end; at++) word |= bytes[at]! << (8 * (at - whole));
  return word;
}
