/**
 * A wavelet matrix: finds the number of any rank among any range of a sequence in one step for each bit (Claude,
 * Navarro and Ordóñez, "The wavelet matrix", 2015). It has a level for each bit, the highest first. A level stores that
 * bit of every number, and puts the numbers with a 0 before those with a 1, each in the order that they had: so a range
 * of one level becomes two ranges of the next.
 */
import { bitsIn } from "../lib/bits.ts";

export interface Wavelet {
  readonly length: number;
  /** The number of bits in the greatest of them. */
  readonly levels: number;
  /** By level, one after the other: the count of 1 bits before each block of 512, and in the whole level. */
  readonly ones: Uint32Array;
  /** By level: the bits, in whole blocks; the lowest bit of a word comes first. */
  readonly bits: Uint32Array;
}

/** A block has as many bits as a line of the processor's cache. */
const blockShift = 9;
const blockBits = 2 ** blockShift;
const blockWords = blockBits / 32;
function blocksFor(length: number): number {
  return (length + blockBits - 1) >>> blockShift;
}

/** Returns the lengths of `ones` and `bits` in words. */
export function waveletWords(length: number, levels: number): { ones: number; bits: number } {
  const blocks = blocksFor(length);
  return { ones: levels * (blocks + 1), bits: levels * blocks * blockWords };
}

/** Fills a wavelet of zeros from `values`, and leaves `values` in another order. */
export function fillWavelet({ length, levels, ones, bits }: Wavelet, values: Uint32Array): void {
  const blocks = blocksFor(length);
  const apart = new Uint32Array(length);
  for (let level = 0; level < levels; level++) {
    const ownOnes = ones.subarray(level * (blocks + 1), (level + 1) * (blocks + 1));
    const ownBits = bits.subarray(level * blocks * blockWords, (level + 1) * blocks * blockWords);
    const found = split(values, apart, levels - 1 - level, ownOnes, ownBits, blocks);
    ownOnes[blocks] = found;
    values.set(apart.subarray(0, found), length - found);
  }
}

/** Moves the numbers with a 0 forward and copies those with a 1 to `apart`; returns how many have a 1. */
function split(
  values: Uint32Array,
  apart: Uint32Array,
  bit: number,
  ones: Uint32Array,
  bits: Uint32Array,
  blocks: number,
): number {
  let found = 0;
  for (let block = 0; block < blocks; block++) {
    ones[block] = found;
    const end = Math.min(values.length, (block + 1) * blockBits);
    for (let from = block * blockBits; from < end; from += 32) {
      const wordEnd = Math.min(end, from + 32);
      let word = 0;
      for (let at = from; at < wordEnd; at++) {
        const value = values[at]!;
        const one = (value >>> bit) & 1;
        word |= one << (at - from);
        // The index written to is never ahead of the number that is read.
        values[at - found] = value;
        apart[found] = value;
        found += one;
      }
      bits[from >>> 5] = word;
    }
  }
  return found;
}

/** Returns how many of the first `end` bits of a level are 1. */
export function onesBefore({ length, ones, bits }: Wavelet, level: number, end: number): number {
  const blocks = blocksFor(length);
  const block = end >>> blockShift;
  let count = ones[level * (blocks + 1) + block]!;
  const start = level * blocks * blockWords;
  const last = start + (end >>> 5);
  for (let word = start + block * blockWords; word < last; word++) count += bitsIn(bits[word]!);
  const rest = end & 31;
  return rest === 0 ? count : count + bitsIn(bits[last]! & ((1 << rest) - 1));
}

/** Returns how many bits of a level are 0, which is where the numbers with a 1 begin in the next level. */
export function zerosIn({ length, ones }: Wavelet, level: number): number {
  const blocks = blocksFor(length);
  return length - ones[level * (blocks + 1) + blocks]!;
}
