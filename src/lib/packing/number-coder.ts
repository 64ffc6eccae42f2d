/**
 * Writes whole numbers in about as few bits as the numbers before them predict, and reads them back: an adaptive binary
 * arithmetic coder (as in lpaq by Matt Mahoney). Of a number it codes how many bits it has, and the highest three after
 * the first; the others, which nothing predicts, are kept as they are.
 *
 * Writing and reading make the same calls: a writer is given numbers and returns them, a reader is given anything and
 * returns what was written. So a format is one function.
 *
 *   written := bytes of the codes u32, codes, other bits
 */
import { expectContent } from "../decoding.ts";

/** The models of a context: 64 for the number of bits, then 8 for the highest bits of each of these lengths. */
const lengths = 64;
const prefixes = 8;
const modelsPerContext = lengths * (1 + prefixes);
/** Numbers are less than 2^53. */
const lengthMax = 53;
const one = 2 ** 16;
const firstBit = 1 << 31;
/** No bit is ever taken for certain. */
const least = 24;
/** How far an expectation follows the next bit, by how often it did so. */
const rates = Float64Array.from({ length: 256 }, (_, times) => 1 / (times + 1.6));

export class NumberCoder {
  /** By model: the share of a 1 that is expected, of `one`, and above these 16 bits how often it followed, up to 255. */
  private readonly models: Int32Array;
  /**
   * The first and the last number of the range that all bits so far lead to; a reader has its place in it. Each is a word,
   * kept as the signed number of the same bits: with these a bit takes a fifth less time.
   */
  private low = 0;
  private high = -1;
  private place = 0;
  private codes: Uint8Array = new Uint8Array(1024);
  private codesEnd = 0;
  private others: Uint8Array = new Uint8Array(1024);
  private othersEnd = 0;
  /** The last other bits that fill no byte yet, or are not read yet, and how many they are. */
  private held = 0;
  private heldBits = 0;
  private readonly isReader: boolean;

  /** Reads what was `written`, with as many contexts; without it, writes. Throws WrongContent. */
  constructor(contexts: number, written?: Uint8Array) {
    this.models = new Int32Array(contexts * modelsPerContext).fill(one / 2);
    this.isReader = written !== undefined;
    if (written === undefined) return;
    const [bytes = Infinity] = new Uint32Array(written.slice(0, 4).buffer);
    expectContent(4 + bytes <= written.length, `codes have ${bytes} bytes of ${written.length}`);
    this.codes = written.subarray(4, 4 + bytes);
    this.others = written.subarray(4 + bytes);
    for (let byte = 0; byte < 4; byte++) this.shift(0);
  }

  /** Codes 0 or 1. Contexts count from 0; what comes in one of them is alike. */
  bit(context: number, bit: number): number {
    return this.model(context * modelsPerContext, bit);
  }

  /** Codes a number from 0 on, which is mostly small. */
  small(context: number, value: number): number {
    if (this.isReader) return this.readSmall(context);
    const from = context * modelsPerContext;
    const written = value + 1;
    let length = 0;
    for (
      let next = 2;
      length < lengthMax && this.model(from + length, next <= written ? 1 : 0) === 1;
      next *= 2
    )
      length++;
    return this.tail(from, length, written);
  }

  /** Codes a number from 0 on, which is mostly large. */
  large(context: number, value: number): number {
    const from = context * modelsPerContext;
    const written = value + 1;
    let own = 0;
    while (!this.isReader && 2 ** (own + 1) <= written) own++;
    let read = 1;
    for (let half = lengths / 2; half >= 1; half /= 2)
      read = 2 * read + this.model(from + read, (own & half) === 0 ? 0 : 1);
    return this.tail(from, read - lengths, written);
  }

  /** Returns what was written. Call it once, at the end. */
  finish(): Uint8Array {
    for (let byte = 0; byte < 4; byte++) this.shift(this.low >>> (24 - 8 * byte));
    this.few(8, 0);
    const written = new Uint8Array(4 + this.codesEnd + this.othersEnd);
    written.set(new Uint8Array(Uint32Array.of(this.codesEnd).buffer));
    written.set(this.codes.subarray(0, this.codesEnd), 4);
    written.set(this.others.subarray(0, this.othersEnd), 4 + this.codesEnd);
    return written;
  }

  /** Codes all bits of a number after its highest 1. `length`: how many these are. */
  private tail(from: number, length: number, written: number): number {
    let read = 1;
    let left = length;
    for (; left > 0 && read < prefixes; left--) {
      const bit = this.isReader ? 0 : Math.floor(written / 2 ** (left - 1)) % 2;
      read = 2 * read + this.model(from + lengths + length * prefixes + read, bit);
    }
    return this.rest(read, left, written);
  }

  /** Codes the last bits of a number, as they are. `read`: a 1 and its bits before; `left`: how many follow. */
  private rest(before: number, bitsLeft: number, written: number): number {
    let read = before;
    let left = bitsLeft;
    while (left > 0) {
      const bits = Math.min(8, left);
      left -= bits;
      const own = this.isReader ? 0 : Math.floor(written / 2 ** left) % 2 ** bits;
      read = read * (1 << bits) + this.few(bits, own);
    }
    return read - 1;
  }

  private model(at: number, bit: number): number {
    const { models } = this;
    const before = models[at]!;
    const share = before & (one - 1);
    const taken = share < least ? least : share > one - least ? one - least : share;
    let { low, high } = this;
    const range = (high - low) | 0;
    // This is low + floor(range * taken / one), in words.
    const middle = (low + Math.imul(range >>> 16, taken) + (Math.imul(range & 0xffff, taken) >>> 16)) | 0;
    // Words with another first bit compare as the signed numbers do.
    const known = this.isReader ? ((this.place ^ firstBit) <= (middle ^ firstBit) ? 1 : 0) : bit;
    if (known === 1) {
      high = middle;
      models[at] = afterOne(before);
    } else {
      low = (middle + 1) | 0;
      models[at] = afterZero(before);
    }
    while (((low ^ high) & 0xff000000) === 0) {
      this.shift(low >>> 24);
      low <<= 8;
      high = (high << 8) | 255;
    }
    this.low = low;
    this.high = high;
    return known;
  }

  /**
   * Does what `small` does, bit by bit as `model` does it, in a reader. With all that changes in local variables the days of
   * a month, which are a million numbers, take a fifth less time.
   */
  private readSmall(context: number): number {
    const { models, codes } = this;
    let low = this.low | 0;
    let high = this.high | 0;
    let place = this.place | 0;
    let end = this.codesEnd | 0;
    const from = Math.imul(context, modelsPerContext);
    let at = from;
    // -1 until the 0 has come that says how many bits follow.
    let length = -1;
    let left = 0;
    let read = 1;
    for (;;) {
      const before = models[at]! | 0;
      const share = before & (one - 1);
      const taken = share < least ? least : share > one - least ? one - least : share;
      const range = (high - low) | 0;
      const middle = (low + Math.imul(range >>> 16, taken) + (Math.imul(range & 0xffff, taken) >>> 16)) | 0;
      let bit = 0;
      if ((place ^ firstBit) <= (middle ^ firstBit)) {
        models[at] = afterOne(before);
        high = middle;
        bit = 1;
      } else {
        models[at] = afterZero(before);
        low = (middle + 1) | 0;
      }
      while (((low ^ high) & 0xff000000) === 0) {
        place = (place << 8) | (end < codes.length ? codes[end]! : 0);
        end = (end + 1) | 0;
        low <<= 8;
        high = (high << 8) | 255;
      }
      if (length >= 0) {
        read = (2 * read + bit) | 0;
        left = (left - 1) | 0;
      } else if (bit === 1 && at - from < lengthMax - 1) {
        at = (at + 1) | 0;
        continue;
      } else left = length = (at - from + bit) | 0;
      if (left === 0 || read >= prefixes) break;
      at = (from + lengths + Math.imul(length, prefixes) + read) | 0;
    }
    this.low = low;
    this.high = high;
    this.place = place;
    this.codesEnd = end;
    return this.rest(read, left, 0);
  }

  /** Writes the highest byte of the range, or reads the next one after those in `place`. */
  private shift(byte: number): void {
    if (this.isReader) this.place = (this.place << 8) | (this.codes[this.codesEnd++] ?? 0);
    else {
      if (this.codesEnd === this.codes.length) this.codes = longer(this.codes);
      this.codes[this.codesEnd++] = byte;
    }
  }

  /** Keeps up to eight bits as they are. */
  private few(bits: number, value: number): number {
    if (this.isReader) {
      if (this.heldBits < bits) {
        this.held = ((this.held & 255) << 8) | (this.others[this.othersEnd++] ?? 0);
        this.heldBits += 8;
      }
      this.heldBits -= bits;
      return (this.held >>> this.heldBits) & ((1 << bits) - 1);
    }
    this.held = ((this.held & 255) << bits) | value;
    this.heldBits += bits;
    if (this.heldBits >= 8) {
      this.heldBits -= 8;
      if (this.othersEnd === this.others.length) this.others = longer(this.others);
      this.others[this.othersEnd++] = this.held >>> this.heldBits;
    }
    return value;
  }
}

// A model after a bit. What is alike for both bits is not chosen by the bit: nothing foretells it, so the processor waits.

function afterOne(model: number): number {
  const share = model & (one - 1);
  return onceMore(model) | (share + (((one - 1 - share) * rates[model >> 16]!) | 0));
}

function afterZero(model: number): number {
  const share = model & (one - 1);
  return onceMore(model) | (share - ((share * rates[model >> 16]!) | 0));
}

/** Returns how often a model followed, one more than before but at most 255, in its place. */
function onceMore(model: number): number {
  const times = model >> 16;
  return (times + ((times - 255) >>> 31)) << 16;
}

function longer(bytes: Uint8Array): Uint8Array {
  const twice = new Uint8Array(2 * bytes.length);
  twice.set(bytes);
  return twice;
}
