/**
 * Memory for data that only grows. It grows by a copy into a larger buffer, and filled entries never change: so a view
 * of the filled part stays valid, and another thread may read it while more is added.
 */

/**
 * A SharedArrayBuffer takes most of a kilobyte however small it is, and a thousand quiet websites have tens of
 * thousands of buffers.
 */
const sharedBytesMin = 16 * 1024;

/** Returns a buffer of zeros, which is shared between threads unless it is small. Exported for tests. */
export function growingBuffer(bytes: number): ArrayBufferLike {
  return bytes < sharedBytesMin ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/** Returns `count` zeros of 32 bits. */
export function growingWords(count: number): Uint32Array {
  return new Uint32Array(growingBuffer(4 * count));
}

/** Returns `count` zeros of 16 bits. */
export function growingHalves(count: number): Uint16Array {
  return new Uint16Array(growingBuffer(2 * count));
}

export function growingBytes(count: number): Uint8Array {
  return new Uint8Array(growingBuffer(count));
}

/** Returns `count` zeros of 64 bits. */
export function growingNumbers(count: number): Float64Array {
  return new Float64Array(growingBuffer(8 * count));
}

/** Returns whether a growing buffer of this size is shared between threads. */
function isLarge({ byteLength }: ArrayBufferView): boolean {
  return byteLength >= sharedBytesMin;
}

/**
 * Returns an array by id: a zero for id 0, then the values that were read. A small one has no room for more, for most
 * of a thousand websites are quiet.
 */
export function loadedWords(read: Uint32Array): Uint32Array {
  const length = read.length + 1;
  const words = isLarge(read) ? growingWords(roomFor(length)) : new Uint32Array(length);
  words.set(read, 1);
  return words;
}

/** Does the same as `loadedWords` for bytes, and without a zero. */
export function loadedBytes(read: Uint8Array): Buffer {
  const bytes = isLarge(read)
    ? Buffer.from(growingBuffer(roomFor(read.length)))
    : Buffer.allocUnsafeSlow(read.length);
  bytes.set(read);
  return bytes;
}

/** Returns the same array if it has room for `length` entries, else a longer copy. */
export function roomyWords(words: Uint32Array, length: number): Uint32Array {
  if (words.length >= length) return words;
  const longer = growingWords(roomFor(length));
  longer.set(words);
  return longer;
}

/** Does the same as `roomyWords` for bytes. */
export function roomyBytes(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes;
  const longer = Buffer.from(growingBuffer(roomFor(length)));
  longer.set(bytes);
  return longer;
}

/** Returns a power of two: arrays double as they grow, so the copies cost constant time for each entry. */
function roomFor(length: number): number {
  let room = 8;
  while (room < length) room *= 2;
  return room;
}
