/**
 * Interned tuples of dictionary ids, so that a row holds one id for values that always come together (browser, os,
 * device). Tuple 0 is overflow: each of its members is overflow. The table uses open addressing over the tuples' own
 * columns, so a key needs no object. As in an arena, tuples read from a file are put into the table at the first
 * lookup.
 */
import { assert } from "../../lib/assert.ts";
import { processSeed } from "../../lib/hashes/hash.ts";
import { loadedWords, roomyWords } from "./growing.ts";
import { occupy } from "./slots.ts";

/** How many tuples a table may have by the format; which ones are kept apart is decided before the log. */
const tuplesMax = 2 ** 24 - 1;

/** The columns of a table that holds only the overflow, and the slots of an empty table. */
const oneWord = new Uint32Array(1);

/** The number of tuples that are hashed together: their hashes stay in the processor's nearest cache. */
const hashedTogether = 2_048;
const hashes = new Uint32Array(hashedTogether);

export class TupleTable {
  /** One array per member, indexed by tuple id; only the first `size` entries count. */
  readonly members: Uint32Array[];
  private count = 1;
  /** Tuples below this id are in the slots. */
  private indexed = 1;
  private slots = oneWord;

  constructor(readonly width: number) {
    this.members = new Array<Uint32Array>(width).fill(oneWord);
  }

  /** The id of the tuple of the first `width` ids; 0 if every member is 0, and when the table is full. */
  intern(ids: ArrayLike<number>): number {
    if (this.isOverflow(ids)) return 0;
    const slot = this.slotOf(ids);
    const known = this.slots[slot]!;
    if (known !== 0) return known;
    return this.count > tuplesMax ? 0 : this.add(ids, slot);
  }

  /** Whether a tuple has an id. */
  has(ids: ArrayLike<number>): boolean {
    return this.isOverflow(ids) || this.slots[this.slotOf(ids)] !== 0;
  }

  private isOverflow(ids: ArrayLike<number>): boolean {
    for (let member = 0; member < this.width; member++) if (ids[member] !== 0) return false;
    return true;
  }

  /** The slot of a tuple, or the free one where it would be. */
  private slotOf(ids: ArrayLike<number>): number {
    if (this.indexed < this.count) this.index();
    const { members, width } = this;
    const mask = this.slots.length - 1;
    let slot = this.hash(ids) & mask;
    for (let tuple = this.slots[slot]!; tuple !== 0; tuple = this.slots[slot]!) {
      let member = 0;
      while (member < width && members[member]![tuple] === ids[member]) member++;
      if (member === width) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  /** One more than the greatest id. */
  get size(): number {
    return this.count;
  }

  /** Appends tuples, given as one array per member. None of them may be in the table yet. */
  append(members: readonly Uint32Array[]): void {
    const first = this.count;
    this.count += members[0]!.length;
    members.forEach((ids, member) => {
      if (first === 1) {
        this.members[member] = loadedWords(ids);
        return;
      }
      const column = roomyWords(this.members[member]!, this.count);
      column.set(ids, first);
      this.members[member] = column;
    });
  }

  /**
   * Copies the tuples whose ids are marked in `used` to `to`, which is empty, in the order of their ids. `memberIds`: by member,
   * the new id for each old one. Returns the new id for each old tuple; 0 for those that are not marked.
   */
  moveUsed(used: Uint8Array, memberIds: readonly Uint32Array[], to: TupleTable): Uint32Array {
    assert(to.count === 1, "tuples: moved into an empty table");
    const newIds = new Uint32Array(this.count);
    for (let tuple = 1; tuple < this.count; tuple++) if (used[tuple]) newIds[tuple] = to.count++;
    this.members.forEach((ids, member) => {
      const column = roomyWords(to.members[member]!, to.count);
      copyMoved(ids, memberIds[member]!, newIds, column);
      to.members[member] = column;
    });
    return newIds;
  }

  check(): void {
    const tuple = new Uint32Array(this.width);
    for (let id = 1; id < this.count; id++) {
      this.members.forEach((column, member) => (tuple[member] = column[id]!));
      // Tuples of overflow alone that earlier versions wrote have ids of their own.
      assert(this.isOverflow(tuple) || this.intern(tuple) === id, `tuple ${id} finds itself`);
    }
  }

  private add(ids: ArrayLike<number>, slot: number): number {
    const tuple = this.count++;
    for (let member = 0; member < this.width; member++) {
      const column = roomyWords(this.members[member]!, this.count);
      column[tuple] = ids[member]!;
      this.members[member] = column;
    }
    if (this.count * 2 > this.slots.length) this.index();
    else this.slots[slot] = tuple;
    this.indexed = this.count;
    return tuple;
  }

  /** Rebuilds the slots, with room for all tuples. */
  private index(): void {
    let length = Math.max(64, this.slots.length);
    while (this.count * 2 > length) length *= 2;
    const slots = new Uint32Array(length);
    for (let first = 1; first < this.count; first += hashedTogether) {
      const count = Math.min(hashedTogether, this.count - first);
      this.hashFrom(first, count);
      occupy(slots, hashes, 0, count, first);
    }
    this.slots = slots;
    this.indexed = this.count;
  }

  private hash(ids: ArrayLike<number>): number {
    let hash = processSeed;
    for (let member = 0; member < this.width; member++) hash = mixed(hash, ids[member]!);
    return finished(hash);
  }

  /** Writes into `hashes` what `hash` returns for `count` tuples from `first` on. */
  private hashFrom(first: number, count: number): void {
    hashes.fill(processSeed);
    for (const column of this.members) mixColumn(column, first, count);
    for (let at = 0; at < count; at++) hashes[at] = finished(hashes[at]!);
  }
}

function copyMoved(ids: Uint32Array, idsNow: Uint32Array, newIds: Uint32Array, to: Uint32Array): void {
  for (let tuple = 1; tuple < newIds.length; tuple++) {
    const newId = newIds[tuple]!;
    if (newId > 0) to[newId] = idsNow[ids[tuple]!]!;
  }
}

function mixColumn(column: Uint32Array, first: number, count: number): void {
  for (let at = 0; at < count; at++) hashes[at] = mixed(hashes[at]!, column[first + at]!);
}

/** Mixes one more member into a hash by multiplication. `finished` then ends the hash as MurmurHash3's fmix32 does. */
function mixed(hash: number, id: number): number {
  return Math.imul(hash ^ id, 0x9e3779b1) ^ (hash >>> 15);
}

function finished(hash: number): number {
  const last = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (last ^ (last >>> 13)) >>> 0;
}
