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
    const tuple = new Uint32Array(this.width);
    for (let at = 0; at < (members[0] as Uint32Array).length; at++) {
      members.forEach((ids, member) => (tuple[member] = ids[at] as number));
      const id = this.count;
      assert(this.intern(tuple, 0) === id, `tuple ${id} keeps its id`);
    }
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
    if (this.count * 2 > this.slots.length) this.rehash();
    return tuple;
  }

  private rehash(): void {
    this.slots = new Uint32Array(this.slots.length * 2);
    const mask = this.slots.length - 1;
    const tuple = new Uint32Array(this.width);
    for (let id = 1; id < this.count; id++) {
      this.members.forEach((column, member) => (tuple[member] = column[id] as number));
      let slot = this.hash(tuple, 0) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id;
    }
  }

  /** Multiply and mix a member at a time, finished as in MurmurHash3's fmix32. */
  private hash(ids: ArrayLike<number>, from: number): number {
    let hash = 0;
    for (let member = 0; member < this.width; member++)
      hash = Math.imul(hash ^ (ids[from + member] as number), 0x9e3779b1) ^ (hash >>> 15);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) >>> 0;
  }
}
