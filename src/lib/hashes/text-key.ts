/**
 * Keys of texts that strangers choose, for maps. The runtime's own map hashes a text without a secret: anybody writes any number
 * of texts that have one hash there, and each look would go through all of them.
 */
import { encode, encoded } from "../texts/utf8.ts";
import { byteHash, processHash } from "./hash.ts";

const secondKey = crypto.getRandomValues(new Uint32Array(2));

/**
 * Returns an integer of 53 bits. It is another in every process, so nothing that is stored or shown may depend on it. Two
 * texts have the same one by chance alone, once in 9 * 10^15: who cannot do with that compares the texts, too. Halves of surrogate
 * pairs are all one to it; what comes from outside has none.
 */
export function textKey(text: string): number {
  const length = encode(text);
  const first = processHash(encoded, 0, length);
  return first * 2 ** 21 + (byteHash(encoded, 0, length, secondKey) >>> 11);
}
