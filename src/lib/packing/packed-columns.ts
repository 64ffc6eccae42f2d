/**
 * Packs columns of whole numbers from 0 on. A column is divided into planes: the lowest byte of each number, then the
 * next one, as many as its greatest number needs. Each plane is compressed for itself, because high bytes are mostly
 * alike and low ones are not, or stays as it is where that is no longer. Zeros at the end of a compressed one are left
 * out: of many numbers the large ones often come first.
 *
 *   packed := columns u32, (length u32, planes u32, (bytes u32)* of each plane)* of each column, planes
 *   plane  := zstd of its bytes up to the last that is not 0; or the bytes themselves, where there are as many as the column has numbers
 */
import { WrongContent } from "../decoding.ts";

export type Column = Uint32Array | Float64Array;

/** Packing is seldom and reading is often: it pays to pack well. */
const level = 19;
/** The first word of what was packed before there were planes. No packed columns are as many. */
const zstdMagic = 0xfd2fb528;

/** The bytes of the planes that a column does not have. */
let zeros = new Uint8Array(0);

export function packed(columns: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const head = [columns.length];
  const parts: Uint8Array[] = [];
  for (const column of columns) {
    const planes = planesOf(column).map(shortest);
    head.push(column.length, planes.length, ...planes.map(({ length }) => length));
    parts.push(...planes);
  }
  return new Uint8Array(Bun.concatArrayBuffers([Uint32Array.from(head), ...parts]));
}

/** Returns the columns in their order. Throws WrongContent. */
export function unpacked(data: Uint8Array): readonly Column[] {
  const columns = new PackedColumns(data);
  return Array.from({ length: columns.count }, (_, at) => columns.column(at));
}

/** The place of a column's numbers in an array that has `width` numbers an entry: `at` among them. */
export interface ColumnTarget {
  readonly width: number;
  readonly at: number;
  /** By number of the column: its entry, to which it is added; without it, numbers and entries are the same. */
  readonly entryOf?: Uint32Array | undefined;
}

/**
 * Writes `count` numbers of a column of differences (`gapsOf`), from index `from` on, to `to` from `at` on: each number is
 * the sum of the differences up to it.
 */
export type GapsReader = (to: Uint32Array, at: number, from: number, count: number) => void;

/** Columns that are decoded one by one, each to where its numbers are needed. Every method throws WrongContent. */
export class PackedColumns {
  private readonly lengths: number[] = [];
  /** By column: its planes. */
  private readonly planes: Uint8Array[][] = [];
  /** The columns, if they were packed before there were planes. */
  private readonly before: readonly Column[] | undefined;

  constructor(data: Uint8Array) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const count = view.getUint32(0, true);
    if (count === zstdMagic) {
      this.before = unpackedBefore(data);
      for (const { length } of this.before) this.lengths.push(length);
      return;
    }
    const sizes: number[][] = [];
    let at = 4;
    for (let column = 0; column < count; column++) {
      this.lengths.push(view.getUint32(at, true));
      const planes = view.getUint32(at + 4, true);
      at += 8;
      const own: number[] = [];
      for (let plane = 0; plane < planes; plane++, at += 4) own.push(view.getUint32(at, true));
      sizes.push(own);
    }
    for (const own of sizes) this.planes.push(own.map((bytes) => data.subarray(at, (at += bytes))));
  }

  get count(): number {
    return this.lengths.length;
  }

  /** Returns how many numbers a column has. */
  lengthOf(column: number): number {
    return this.lengths[column]!;
  }

  /** Returns a column; one of numbers from 2^32 on has doubles. */
  column(column: number): Column {
    return this.before?.[column] ?? this.part(column, 0, this.lengths[column]!);
  }

  /** Returns the numbers of a column from index `from` up to `end`. */
  part(column: number, from: number, end: number): Column {
    if (this.before !== undefined) return this.before[column]!.slice(from, end);
    const planes = this.planes[column]!;
    const numbers = planes.length > 4 ? new Float64Array(end - from) : new Uint32Array(end - from);
    for (let plane = 0; plane < planes.length; plane++)
      addPlane(numbers, this.plane(column, plane).subarray(from, end), plane, { width: 1, at: 0 });
    return numbers;
  }

  /** Returns a function for a column of gaps, of which few numbers are needed. */
  gaps(column: number): GapsReader {
    const before = this.before?.[column];
    const length = this.lengths[column]!;
    const planes = before ? planesOf(before) : this.planes[column]!.map((own) => wholePlane(own, length));
    if (zeros.length < length) zeros = new Uint8Array(length);
    const [first = zeros, second = zeros, third = zeros, fourth = zeros] = planes;
    return (to, at, from, count) => addGapsOf(to, first, second, third, fourth, at, from, count);
  }

  /** Adds the numbers of a column to those in `to`. */
  addTo(to: Column, column: number, target: ColumnTarget): void {
    if (this.before !== undefined) return addNumbers(to, this.before[column]!, target);
    for (let plane = 0; plane < this.planes[column]!.length; plane++)
      addPlane(to, this.plane(column, plane), plane, target);
  }

  /** Returns the bytes of a plane up to the last that is not 0, or more of them. */
  private plane(column: number, plane: number): Uint8Array {
    const own = this.planes[column]![plane]!;
    const length = this.lengths[column]!;
    return own.length === length ? own : decompressed(own, length);
  }
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
    let number = 0;
    for (let at = from; at < end; at++) gaps[at] = number = (number + (gaps[at]! | 0)) | 0;
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
  const end = plane.findLastIndex((byte) => byte !== 0) + 1;
  const short = Bun.zstdCompressSync(plane.slice(0, end), { level });
  return short.length < plane.length ? short : plane;
}

// Each loop has arrays of one type, and `set` would take longer than a loop to widen the numbers. `| 0` keeps words in
// 32-bit integers: the runtime takes those of unsigned arrays for doubles.

/** Adds the bytes of a plane, counted from the lowest. */
function addPlane(to: Column, bytes: Uint8Array, plane: number, { width, at, entryOf }: ColumnTarget): void {
  if (to instanceof Float64Array) addToDoubles(to, bytes, 256 ** plane, width, at, entryOf);
  else if (entryOf === undefined) addToWords(to, bytes, 8 * plane, width, at);
  else addToEntries(to, bytes, 8 * plane, width, at, entryOf);
}

function addToWords(to: Uint32Array, bytes: Uint8Array, shift: number, width: number, first: number): void {
  if (width === 1) for (let at = 0; at < bytes.length; at++) to[first + at]! |= bytes[at]! << shift;
  else
    for (let at = 0, place = first; at < bytes.length; at++, place += width)
      to[place]! |= bytes[at]! << shift;
}

/** Writes the sums of gaps, each of which has a byte in each of the four planes. */
function addGapsOf(
  to: Uint32Array,
  first: Uint8Array,
  second: Uint8Array,
  third: Uint8Array,
  fourth: Uint8Array,
  at: number,
  from: number,
  count: number,
): void {
  let number = 0;
  for (let next = 0; next < count; next++) {
    const place = (from + next) | 0;
    const gap = first[place]! | (second[place]! << 8) | (third[place]! << 16) | (fourth[place]! << 24);
    to[at + next] = number = (number + gap) | 0;
  }
}

function addToEntries(
  to: Uint32Array,
  bytes: Uint8Array,
  shift: number,
  width: number,
  first: number,
  entryOf: Uint32Array,
): void {
  for (let at = 0; at < bytes.length; at++) {
    const place = (Math.imul(entryOf[at]! | 0, width) + first) | 0;
    to[place] = ((to[place]! | 0) + (bytes[at]! << shift)) | 0;
  }
}

function addToDoubles(
  to: Float64Array,
  bytes: Uint8Array,
  unit: number,
  width: number,
  first: number,
  entryOf: Uint32Array | undefined,
): void {
  if (entryOf === undefined)
    for (let at = 0, place = first; at < bytes.length; at++, place += width) to[place]! += bytes[at]! * unit;
  else
    for (let at = 0; at < bytes.length; at++) {
      const place = (Math.imul(entryOf[at]! | 0, width) + first) | 0;
      to[place] = to[place]! + bytes[at]! * unit;
    }
}

function addNumbers(to: Column, numbers: Column, { width, at: first, entryOf }: ColumnTarget): void {
  for (let at = 0; at < numbers.length; at++)
    to[(entryOf === undefined ? at : entryOf[at]!) * width + first]! += numbers[at]!;
}

/** Returns a plane with a byte of each of `length` numbers. Throws WrongContent. */
function wholePlane(plane: Uint8Array, length: number): Uint8Array {
  if (plane.length === length) return plane;
  const bytes = decompressed(plane, length);
  if (bytes.length === length) return bytes;
  const whole = new Uint8Array(length);
  whole.set(bytes);
  return whole;
}

/** Throws WrongContent if there are more bytes than `bytesMax`. */
function decompressed(data: Uint8Array, bytesMax = Infinity): Uint8Array {
  const bytes = Bun.zstdDecompressSync(data as Uint8Array<ArrayBuffer>);
  // The message is made where it is needed only: a list over years decompresses thousands of planes.
  if (bytes.length > bytesMax) throw new WrongContent(`a plane has ${bytes.length} bytes of ${bytesMax}`);
  return bytes;
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
