/**
 * An index from hashes to slots: the slots of equal hashes, cut to the index's size, are chained. It is two typed arrays,
 * so that the collector has nothing in it to follow, and a slot can be taken out.
 */

/** Says that there is no slot. */
export const noSlot = -1;

export class Chains {
  private readonly heads: Int32Array;
  private readonly later: Int32Array;

  /** `slots`: a power of two. */
  constructor(slots: number) {
    this.heads = new Int32Array(2 * slots).fill(noSlot);
    this.later = new Int32Array(slots);
  }

  /** Returns the first slot that may have this hash, or `noSlot`. */
  first(hash: number): number {
    return this.heads[hash & (this.heads.length - 1)]!;
  }

  /** Returns the slot after this one, or `noSlot`. */
  next(slot: number): number {
    return this.later[slot]!;
  }

  add(hash: number, slot: number): void {
    const head = hash & (this.heads.length - 1);
    this.later[slot] = this.heads[head]!;
    this.heads[head] = slot;
  }

  remove(hash: number, slot: number): void {
    const { heads, later } = this;
    const head = hash & (heads.length - 1);
    const first = heads[head]!;
    if (first === slot) {
      heads[head] = later[slot]!;
      return;
    }
    let before = first;
    while (later[before] !== slot) before = later[before]!;
    later[before] = later[slot]!;
  }
}
