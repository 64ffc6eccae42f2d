/**
 * The HMAC of SHA-256 (RFC 2104) of many short texts under one key. The runtime's own makes an object for each text; here
 * the padded key, the text and the digest are in buffers that stay.
 */
import { assert } from "../assert.ts";

const blockBytes = 64;
const digestBytes = 32;
/** Room for any text that is common: of a longer one the buffer is made for it alone. */
const textBytesMax = 1_024;

const encoder = new TextEncoder();

export class Hmac {
  /** The padded key, and room for a text behind it. */
  private readonly inner: Uint8Array;
  private readonly room: Uint8Array;
  /** By length: views of the start of `inner`. */
  private readonly starts: Uint8Array[] = [];
  /** The key, padded otherwise, and the digest of `inner` behind it. */
  private readonly outer: Uint8Array;
  private readonly innerDigest: Uint8Array;
  private readonly digest = new BigUint64Array(digestBytes / 8);

  constructor(key: Uint8Array) {
    assert(key.length <= blockBytes, "the key of an HMAC fits a block");
    this.inner = padded(key, 0x36, textBytesMax);
    this.room = this.inner.subarray(blockBytes);
    this.outer = padded(key, 0x5c, digestBytes);
    this.innerDigest = this.outer.subarray(blockBytes);
  }

  /** Returns the first 64 bits for a text, in the byte order of the machine. */
  first64(text: string): bigint {
    const isLong = text.length * 3 > textBytesMax;
    Bun.SHA256.hash(isLong ? this.joined(text) : this.keyed(text), this.innerDigest);
    Bun.SHA256.hash(this.outer, this.digest);
    return this.digest[0]!;
  }

  private keyed(text: string): Uint8Array {
    const length = blockBytes + encoder.encodeInto(text, this.room).written;
    return (this.starts[length] ??= this.inner.subarray(0, length));
  }

  private joined(text: string): Uint8Array {
    return Buffer.concat([this.inner.subarray(0, blockBytes), encoder.encode(text)]);
  }
}

/** Returns a block of the key, each byte changed by `pad`, with `room` bytes behind it. */
function padded(key: Uint8Array, pad: number, room: number): Uint8Array {
  const bytes = new Uint8Array(blockBytes + room);
  for (let at = 0; at < blockBytes; at++) bytes[at] = (key[at] ?? 0) ^ pad;
  return bytes;
}
