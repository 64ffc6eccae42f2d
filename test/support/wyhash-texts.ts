/**
 * Texts to which `Bun.hash` gives one hash behind a known prefix. It is wyhash (Wang Yi) with a seed that everybody knows: where a
 * word equals the state that it meets, it is multiplied as zero, so that the word before it counts for nothing.
 */
import { randomFrom } from "./random.ts";

const secret = [0xa0761d6478bd642fn, 0xe7037ed1a0b428dbn, 0x8ebc6af09c88c6e3n];
const word = 8;
const block = 48;

function mix(a: bigint, b: bigint): bigint {
  const product = a * b;
  return BigInt.asUintN(64, product) ^ (product >> 64n);
}

/** Returns so many texts, all of ASCII, that have one hash behind the prefix, which is shorter than a lane. */
export function wyhashTexts(prefix: string, count: number): readonly string[] {
  const random = randomFrom(7);
  const first = mix(secret[0]!, secret[1]!);
  for (;;) {
    const begins = Buffer.from(prefix.padEnd(block, "x"));
    for (let at = 2 * word; at < 4 * word; at++) begins[at] = 0x61 + Math.floor(random() * 26);
    const state = mix(
      begins.readBigUInt64LE(2 * word) ^ secret[2]!,
      begins.readBigUInt64LE(3 * word) ^ first,
    );
    const met = Buffer.alloc(word);
    met.writeBigUInt64LE(state);
    if (!met.every((byte) => byte > 0 && byte < 0x80)) continue;
    const before = begins.toString().slice(prefix.length) + "y".repeat(2 * word);
    const after = met.toString() + "z".repeat(3 * word);
    return Array.from({ length: count }, (_, at) => before + String(at).padStart(word, "0") + after);
  }
}
