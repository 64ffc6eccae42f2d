/** Sections that begin with two numbers, followed by arrays of numbers one after the other. */
import type { Section } from "../../snapshot/section.ts";

const headBytes = 8;

/** Reads the arrays of one section as views, in the order in which they are stored. */
export class Arrays {
  private readonly buffer: ArrayBufferLike;
  private at: number;
  readonly sizes: readonly [number, number];

  constructor({ buffer, byteOffset }: Uint8Array) {
    this.buffer = buffer;
    this.at = byteOffset + headBytes;
    const [one = 0, other = 0] = new Uint32Array(buffer, byteOffset, 2);
    this.sizes = [one, other];
  }

  doubles(length: number): Float64Array {
    return new Float64Array(this.buffer, this.next(8 * length), length);
  }

  words(length: number): Uint32Array {
    return new Uint32Array(this.buffer, this.next(4 * length), length);
  }

  signed(length: number): Int32Array {
    return new Int32Array(this.buffer, this.next(4 * length), length);
  }

  private next(bytes: number): number {
    const start = this.at;
    this.at += bytes;
    return start;
  }
}

/** Returns so many bytes of zeros after the two sizes, which fill eight more. */
export function roomOf(bytes: number, ...sizes: readonly [number, number]): Uint8Array {
  const data = new Uint8Array(headBytes + bytes);
  new Uint32Array(data.buffer, 0, 2).set(sizes);
  return data;
}

type Numbers = Float64Array | Uint32Array | Int32Array;

/** Returns a section from which `read` reads these arrays, and nothing else. */
export function sectionOf<T extends Readonly<Record<keyof T, Numbers>>>(
  name: string,
  sizes: readonly [number, number],
  read: (data: Uint8Array) => T,
  arrays: T,
): Section {
  const bytes = Object.values<Numbers>(arrays).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const data = roomOf(bytes, ...sizes);
  const room = read(data);
  for (const key in room) room[key].set(arrays[key]);
  return { name, data };
}
