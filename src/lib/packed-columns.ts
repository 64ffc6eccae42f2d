/**
 * Packs columns of whole numbers from 0 on. A column is divided into planes: the lowest byte of each number, then the
 * next one, as many as its greatest number needs. Each plane is compressed for itself, because high bytes are mostly
 * alike and low ones are not, or stays as it is where that is no longer.
 *
 *   packed := columns u32, (length u32, planes u32, (bytes u32)* of each plane)* of each column, planes
 *   plane  := zstd; or the bytes themselves, where there are as many as the column has numbers
 */
import { expectContent } from "./decoding.ts";

export type Column = Uint32Array | Float64Array;

/** Packing is seldom and reading is often: it pays to pack well. */
const level = 19;
/** The first word of what was packed before there were planes. No packed columns are as many. */
const zstdMagic = 0xfd2fb528;

export function packed(columns: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const head = [columns.length];
  const parts: Uint8Array[] = [];
  for (const column of columns) {
    const planes = planesOf(column).map(shortest);
    head.push(column.length, planes.length, ...planes.map(({ length }) => length));
    parts.push(...planes);
  }
  const start = 4 * head.length;
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, start));
  bytes.set(new Uint8Array(Uint32Array.from(head).buffer));
  let at = start;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the columns in their order. Throws WrongContent. */
export function unpacked(data: Uint8Array): readonly Column[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const count = view.getUint32(0, true);
  if (count === zstdMagic) return unpackedBefore(data);
  let at = 4;
  const next = () => {
    const word = view.getUint32(at, true);
    at += 4;
    return word;
  };
  const heads = Array.from({ length: count }, () => {
    const length = next();
    return { length, planes: Array.from({ length: next() }, next) };
  });
  return heads.map(({ length, planes }) => {
    const column = planes.length > 4 ? new Float64Array(length) : new Uint32Array(length);
    planes.forEach((bytes, plane) => {
      const own = data.subarray(at, (at += bytes));
      addPlane(column, bytes === length ? own : decompressed(own), plane);
    });
    return column;
  });
}

/** Returns the differences between numbers that rise, of each run up to one of `ends` for itself. */
export function gapsOf(numbers: Uint32Array, ends: Uint32Array): Uint32Array {
  const gaps = numbers.slice();
  let from = 0;
  for (const end of ends) {
    for (let at = end - 1; at > from; at--) gaps[at]! -= gaps[at - 1]!;
    from = end;
  }
  return gaps;
}

/** Undoes `gapsOf`, in place. */
export function addGaps(gaps: Uint32Array, ends: Uint32Array): Uint32Array {
  let from = 0;
  for (const end of ends) {
    for (let at = from + 1; at < end; at++) gaps[at]! += gaps[at - 1]!;
    from = end;
  }
  return gaps;
}

function planesOf(column: ArrayLike<number>): Uint8Array[] {
  let most = 0;
  for (let at = 0; at < column.length; at++) most = Math.max(most, column[at]!);
  const planes: Uint8Array[] = [];
  for (let unit = 1; unit <= most; unit *= 256) {
    const plane = new Uint8Array(column.length);
    for (let at = 0; at < column.length; at++) plane[at] = Math.floor(column[at]! / unit) % 256;
    planes.push(plane);
  }
  return planes;
}

function shortest(plane: Uint8Array): Uint8Array {
  const short = Bun.zstdCompressSync(plane as Uint8Array<ArrayBuffer>, { level });
  return short.length < plane.length ? short : plane;
}

function addPlane(column: Column, bytes: Uint8Array, plane: number): void {
  expectContent(bytes.length === column.length, `a plane has ${bytes.length} bytes of ${column.length}`);
  if (column instanceof Float64Array) addToDoubles(column, bytes, 256 ** plane);
  else addToWords(column, bytes, 8 * plane);
}

// Each loop has arrays of one type, and `set` would take longer than a loop to widen the numbers.

function addToWords(column: Uint32Array, bytes: Uint8Array, shift: number): void {
  if (shift === 0) for (let at = 0; at < bytes.length; at++) column[at] = bytes[at]!;
  else for (let at = 0; at < bytes.length; at++) column[at] = column[at]! | (bytes[at]! << shift);
}

function addToDoubles(column: Float64Array, bytes: Uint8Array, unit: number): void {
  for (let at = 0; at < bytes.length; at++) column[at] = column[at]! + bytes[at]! * unit;
}

function decompressed(data: Uint8Array): Uint8Array {
  return Bun.zstdDecompressSync(data as Uint8Array<ArrayBuffer>);
}

/**
 * Returns columns that were packed before there were planes:
 *
 *   packed  := zstd of: columns u32, 0 u32, (length u32, width u32)*, (numbers, padding to eight bytes)*
 *   width   := 0 for zeros only, 1, 2 or 4 bytes, or 8 for a f64
 */
function unpackedBefore(data: Uint8Array): readonly Column[] {
  // Whatever the decompression returns: columns begin at multiples of eight.
  const { buffer } = new Uint8Array(decompressed(data));
  const [count = 0] = new Uint32Array(buffer, 0, 1);
  const head = new Uint32Array(buffer, 0, 2 * count + 2);
  let offset = 8 * (count + 1);
  return Array.from({ length: count }, (_, at) => {
    const [length, width] = [head[2 * at + 2]!, head[2 * at + 3]!];
    const from = offset;
    offset += Math.ceil((length * width) / 8) * 8;
    if (width === 0) return new Uint32Array(length);
    if (width === 1) return new Uint32Array(new Uint8Array(buffer, from, length));
    if (width === 2) return new Uint32Array(new Uint16Array(buffer, from, length));
    return width === 4 ? new Uint32Array(buffer, from, length) : new Float64Array(buffer, from, length);
  });
}
