/**
 * The order of texts by UTF-16 code unit, as JavaScript compares strings. Values of a dictionary are compared as UTF-8
 * where they lie, so that ordering a list with many equal counts makes no strings.
 */
import type { ReadDictionary } from "../../store/mirror/read-site.ts";

/** In UTF-8 the characters from U+E000 on begin with this byte or the next, and those from U+10000 on with greater ones. */
const lastLead = 0xee;
/** UTF-16 writes the characters from U+10000 on as pairs of units below U+E000: there they come first. */
const pairLead = 0xf0;

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Compares two values by their ids, from 1 on. */
export function valueOrder(dictionary: ReadDictionary): (a: number, b: number) => number {
  const { bytes, ends } = dictionary.since(1);
  const startOf = (id: number) => (id === 1 ? 0 : ends[id - 2]!);
  return (a, b) => compareBytes(bytes, startOf(a), ends[a - 1]!, startOf(b), ends[b - 1]!);
}

function compareBytes(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const shorter = Math.min(aEnd - a, bEnd - b);
  let at = 0;
  while (at < shorter && bytes[a + at] === bytes[b + at]) at++;
  if (at === shorter) return aEnd - a - (bEnd - b);
  const [one, other] = [bytes[a + at]!, bytes[b + at]!];
  // Two that differ here begin a character both, or continue the same one.
  const swapped = Math.min(one, other) >= lastLead && one >= pairLead !== other >= pairLead;
  return swapped ? other - one : one - other;
}
