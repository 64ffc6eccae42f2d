/**
 * Puts many ids at once into an open-addressing table: when values of a file are first looked for, and when a table grows.
 * Hits wait meanwhile, and a website may have millions of values. Each hash is there before: one that was made on the way
 * would keep the processor from looking for several slots at a time.
 */

/**
 * Puts the ids of the hashes at the indexes from `from` up to `end` into free slots, whose number is a power of two; 0 is a free
 * one. `first`: the id of the hash at index 0.
 */
export function occupy(
  slots: Uint32Array,
  hashes: Uint32Array,
  from: number,
  end: number,
  first: number,
): void {
  const mask = slots.length - 1;
  for (let at = from; at < end; at++) {
    let slot = hashes[at]! & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = first + at;
  }
}
