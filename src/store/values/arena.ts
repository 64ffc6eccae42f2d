/**
 * Byte strings with dense ids from 1. All values lie in one buffer beside an array of their ends, and an
 * open-addressing table over their hashes finds them, so that no value needs an object. An arena only grows; no value
 * has the id 0. It knows only bytes: their meaning and the limit on their number belong to the dictionary. Values read
 * from a file are put into the table at the first lookup: a start does not wait for it, and of a thousand websites most
 * are quiet.
 */
import { assert } from "../../lib/assert.ts";
import { processHash, type ByteHash } from "../../lib/hashes/hash.ts";
import { loadedBytes, loadedWords, roomyBytes, roomyWords } from "./growing.ts";
import { occupy } from "./slots.ts";

// All empty arenas share these; the first value replaces them with buffers of the arena's own.
const noBytes = Buffer.alloc(0);
const oneWord = new Uint32Array(1);

interface Values {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly hashes: Uint32Array;
}

export class Arena {
  private bytes: Buffer = noBytes;
  /** By id: the end of its bytes, which is the start of the next id's bytes. */
  private ends: Uint32Array = oneWord;
  /** By id, for the ids in the table. */
  private hashes: Uint32Array = oneWord;
  /** Ids by hash; 0 is a free slot. The length is a power of two, and at most half of the slots are taken. */
  private slots: Uint32Array = oneWord;
  private count = 1;
  /** Ids below this are in the table. */
  private indexed = 1;

  /** `hash`: the function that hashes a value's bytes. */
  constructor(readonly hash: ByteHash = processHash) {}

  /** One more than the greatest id. */
  get size(): number {
    return this.count;
  }

  /** How many bytes all ids have. */
  get bytesUsed(): number {
    return this.ends[this.count - 1]!;
  }

  /** The id of the first `length` of `bytes`, whose hash is given; 0 if they have none. */
  find(bytes: Uint8Array, length: number, hash: number): number {
    if (this.indexed < this.count) this.index();
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    let id = slots[slot]!;
    while (id !== 0 && (hashes[id] !== hash || !this.holds(id, bytes, length))) {
      slot = (slot + 1) & mask;
      id = slots[slot]!;
    }
    return id;
  }

  /** Adds the value in the first `length` of `bytes`, which must be new. Returns its id. */
  add(bytes: Uint8Array, length: number, hash: number): number {
    if (this.indexed < this.count) this.index();
    const id = this.count++;
    const start = this.ends[id - 1]!;
    this.bytes = roomyBytes(this.bytes, start + length);
    for (let at = 0; at < length; at++) this.bytes[start + at] = bytes[at]!;
    this.ends = roomyWords(this.ends, id + 1);
    this.ends[id] = start + length;
    this.reserve();
    this.hashes[id] = hash;
    this.occupyTo(id + 1);
    return id;
  }

  /**
   * Copies the values whose ids are marked in `used` to `to`, which is empty and has the same hash, in the order of
   * their ids. Returns the new id for each old one; 0 for those that are not marked.
   */
  moveUsed(used: Uint8Array, to: Arena): Uint32Array {
    assert(to.count === 1 && to.hash === this.hash, "arena: moved into an empty one with the same hash");
    if (this.indexed < this.count) this.index();
    const newIds = new Uint32Array(this.count);
    let [count, length] = [1, 0];
    for (let id = 1; id < this.count; id++) {
      if (!used[id]) continue;
      newIds[id] = count++;
      length += this.ends[id]! - this.ends[id - 1]!;
    }
    to.bytes = roomyBytes(to.bytes, length);
    to.ends = roomyWords(to.ends, count);
    to.hashes = roomyWords(to.hashes, count);
    to.count = count;
    copyMoved(this.values, newIds, to.values);
    to.indexed = count;
    to.reserve();
    return newIds;
  }

  /** Returns the bytes of an id from 1 to `size - 1`, decoded as UTF-8. */
  text(id: number): string {
    return this.bytes.toString("utf8", this.ends[id - 1], this.ends[id]);
  }

  /** Returns a view of the bytes of an id. */
  view(id: number): Uint8Array {
    return this.bytes.subarray(this.ends[id - 1], this.ends[id]);
  }

  /** Returns views of the bytes of all ids from `first` on, and of their ends, counted from the start of id 1. */
  since(first: number): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    const { count, ends } = this;
    return {
      bytes: this.bytes.subarray(ends[first - 1], ends[count - 1]),
      ends: ends.subarray(first, count),
    };
  }

  /** Appends the values that `since(size)` returned for another arena, which has the same ids below `size`. */
  append(bytes: Uint8Array, ends: Uint32Array): void {
    const first = this.count;
    const start = this.ends[first - 1]!;
    this.count += ends.length;
    if (first === 1) {
      this.bytes = loadedBytes(bytes);
      this.ends = loadedWords(ends);
    } else {
      this.bytes = roomyBytes(this.bytes, start + bytes.length);
      this.bytes.set(bytes, start);
      this.ends = roomyWords(this.ends, this.count);
      this.ends.set(ends, first);
    }
    assert(this.ends[this.count - 1] === start + bytes.length, "arena: the values fill the bytes");
  }

  check(): void {
    if (this.indexed < this.count) this.index();
    assert(this.slots.length === 1 || this.slots.length >= 2 * (this.count - 1), "arena: slots are free");
    for (let id = 1; id < this.count; id++) {
      const view = this.view(id);
      assert(this.find(view, view.length, this.hashes[id]!) === id, `arena: value ${id} finds itself`);
    }
  }

  private get values(): Values {
    const { bytes, ends, hashes } = this;
    return { bytes, ends, hashes };
  }

  private holds(id: number, bytes: Uint8Array, length: number): boolean {
    const start = this.ends[id - 1]!;
    if (this.ends[id]! - start !== length) return false;
    const own = this.bytes;
    let at = 0;
    while (at < length && own[start + at] === bytes[at]) at++;
    return at === length;
  }

  /** Adds the ids to the table that are not in it. */
  private index(): void {
    this.reserve();
    const { hash, hashes, bytes, ends, count } = this;
    for (let id = this.indexed; id < count; id++) hashes[id] = hash(bytes, ends[id - 1]!, ends[id]!);
    this.occupyTo(count);
  }

  /** Adds the ids below `end` to the table, which has room, by their hashes. */
  private occupyTo(end: number): void {
    occupy(this.slots, this.hashes, this.indexed, end, 0);
    this.indexed = end;
  }

  /** Makes room for all ids in the table. */
  private reserve(): void {
    const { count } = this;
    this.hashes = roomyWords(this.hashes, count);
    if (this.slots.length >= count * 2) return;
    let length = Math.max(16, this.slots.length);
    while (length < count * 2) length *= 2;
    this.slots = new Uint32Array(length);
    occupy(this.slots, this.hashes, 1, this.indexed, 0);
  }
}

/**
 * Copies the values that have a new id. It is a function of its own so that everything the loop touches is a local
 * variable.
 */
function copyMoved(from: Values, newIds: Uint32Array, to: Values): void {
  const { bytes, ends, hashes } = from;
  const [toBytes, toEnds, toHashes] = [to.bytes, to.ends, to.hashes];
  let at = 0;
  for (let id = 1; id < newIds.length; id++) {
    const newId = newIds[id]!;
    if (newId === 0) continue;
    const end = ends[id]!;
    for (let byte = ends[id - 1]!; byte < end; byte++) toBytes[at++] = bytes[byte]!;
    toEnds[newId] = at;
    toHashes[newId] = hashes[id]!;
  }
}
