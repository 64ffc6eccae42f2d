/**
 * Memory of what only ever grows. It grows by copy into another buffer, and what is filled never changes: so a view
 * of the filled part stays as it is, and another thread may read it while more is added.
 */

/** A SharedArrayBuffer costs most of a kilobyte, however small: a thousand quiet websites have ten thousands. */
const sharedBytesMin = 16 * 1024;

/** Zeros; shared between threads unless it is small. */
export function growingBuffer(bytes: number): ArrayBufferLike {
  return bytes < sharedBytesMin ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);
}

/** As many zeros of 32 bits. */
export function growingWords(count: number): Uint32Array {
  return new Uint32Array(growingBuffer(4 * count));
}

/** As many zeros of 16 bits. */
export function growingHalves(count: number): Uint16Array {
  return new Uint16Array(growingBuffer(2 * count));
}

export function growingBytes(count: number): Uint8Array {
  return new Uint8Array(growingBuffer(count));
}

/** As many zeros of 64 bits. */
export function growingNumbers(count: number): Float64Array {
  return new Float64Array(growingBuffer(8 * count));
}

/** Whether so much is shared between threads. */
export function isLarge({ byteLength }: ArrayBufferView): boolean {
  return byteLength >= sharedBytesMin;
}

/**
 * What was read of the ids from 1 on, with a zero for id 0. Has no room for more while it is small: most of a thousand
 * websites are quiet.
 */
export function loadedWords(read: Uint32Array): Uint32Array {
  const length = read.length + 1;
  const words = isLarge(read) ? growingWords(roomFor(length)) : new Uint32Array(length);
  words.set(read, 1);
  return words;
}

/** As `loadedWords`, for bytes, and without a zero. */
export function loadedBytes(read: Uint8Array): Buffer {
  const bytes = isLarge(read)
    ? Buffer.from(growingBuffer(roomFor(read.length)))
    : Buffer.allocUnsafeSlow(read.length);
  bytes.set(read);
  return bytes;
}

/** The entries, or a longer copy of them that has room for `length`. */
export function roomyWords(words: Uint32Array, length: number): Uint32Array {
  if (words.length >= length) return words;
  const longer = growingWords(roomFor(length));
  longer.set(words);
  return longer;
}

/** As `roomyWords`, for numbers of 64 bits. */
export function roomyNumbers(numbers: Float64Array, length: number): Float64Array {
  if (numbers.length >= length) return numbers;
  const longer = growingNumbers(roomFor(length));
  longer.set(numbers);
  return longer;
}

/** As `roomyWords`, for bytes. */
export function roomyBytes(bytes: Buffer, length: number): Buffer {
  if (bytes.length >= length) return bytes;
  const longer = Buffer.from(growingBuffer(roomFor(length)));
  longer.set(bytes);
  return longer;
}

/** A power of two: so what grows doubles, and growing by copy costs a constant for each entry. */
function roomFor(length: number): number {
  let room = 8;
  while (room < length) room *= 2;
  return room;
}
