/** Counts bits. */

/** Returns how many bits of a word are 1: adds up pairs, then fours, then bytes. */
export function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns how many bits the greatest of some numbers has. */
export function bitsOfGreatest(values: Uint32Array): number {
  let all = 0;
  for (let at = 0; at < values.length; at++) all |= values[at]!;
  return 32 - Math.clz32(all);
}
