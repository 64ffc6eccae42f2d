/**
 * Interned tuples of dictionary ids, so that a row holds one id for what always comes together (browser, os,
 * device). Tuple 0 is overflow: every member is. Open addressing over the tuples' own columns: no key objects.
 */
import { assert } from "../lib/assert.ts";
import { roomyWords } from "./growing.ts";

/** Format 1. */
export const tuplesMax = 2_000_000;

export class TupleTable {
  /** One array per member, indexed by tuple id; only the first `size` entries count. */
  readonly members: Uint32Array[];
  private count = 1;
  private slots = new Uint32Array(64);

  constructor(readonly width: number) {
    this.members = Array.from({ length: width }, () => new Uint32Array(32));
  }

  /** The id of the tuple `ids[from] … ids[from + width - 1]`; 0 when the table is full. */
  intern(ids: ArrayLike<number>, from: number): number {
    const { members, width } = this;
    const mask = this.slots.length - 1;
    let slot = this.hash(ids, from) & mask;
    for (let tuple = this.slots[slot] as number; tuple !== 0; tuple = this.slots[slot] as number) {
      let member = 0;
      while (member < width && (members[member] as Uint32Array)[tuple] === ids[from + member]) member++;
      if (member === width) return tuple;
      slot = (slot + 1) & mask;
    }
    return this.count > tuplesMax ? 0 : this.add(ids, from, slot);
  }

  /** One more than the greatest id. */
  get size(): number {
    return this.count;
  }

  /** Takes the members of the next tuples, none of which is here yet. */
  append(members: readonly Uint32Array[]): void {
    const first = this.count;
    this.count += (members[0] as Uint32Array).length;
    members.forEach((ids, member) => {
      const column = roomyWords(this.members[member] as Uint32Array, this.count);
      column.set(ids, first);
      this.members[member] = column;
    });
    let slots = this.slots.length;
    while (this.count * 2 > slots) slots *= 2;
    this.rehash(slots);
  }

  check(): void {
    const tuple = new Uint32Array(this.width);
    for (let id = 1; id < this.count; id++) {
      this.members.forEach((column, member) => (tuple[member] = column[id] as number));
      assert(this.intern(tuple, 0) === id, `tuple ${id} finds itself`);
    }
  }

  private add(ids: ArrayLike<number>, from: number, slot: number): number {
    const tuple = this.count++;
    for (let member = 0; member < this.width; member++) {
      const column = roomyWords(this.members[member] as Uint32Array, this.count);
      column[tuple] = ids[from + member] as number;
      this.members[member] = column;
    }
    this.slots[slot] = tuple;
    if (this.count * 2 > this.slots.length) this.rehash(this.slots.length * 2);
    return tuple;
  }

  private rehash(length: number): void {
    const slots = new Uint32Array(length);
    const mask = length - 1;
    for (let id = 1; id < this.count; id++) {
      let slot = this.hashOf(id) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id;
    }
    this.slots = slots;
  }

  private hash(ids: ArrayLike<number>, from: number): number {
    let hash = 0;
    for (let member = 0; member < this.width; member++) hash = mixed(hash, ids[from + member] as number);
    return finished(hash);
  }

  /** As `hash`, of a tuple that is here. */
  private hashOf(id: number): number {
    const { members, width } = this;
    let hash = 0;
    for (let member = 0; member < width; member++)
      hash = mixed(hash, (members[member] as Uint32Array)[id] as number);
    return finished(hash);
  }
}

/** Multiply and mix a member at a time, finished as in MurmurHash3's fmix32. */
function mixed(hash: number, id: number): number {
  return Math.imul(hash ^ id, 0x9e3779b1) ^ (hash >>> 15);
}

function finished(hash: number): number {
  const last = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (last ^ (last >>> 13)) >>> 0;
}
