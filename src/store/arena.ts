/**
 * Byte strings with dense ids from 1, in one run of bytes with where each ends, and an open-addressing table over
 * their hashes: no object a value. It only grows; 0 is nobody's id. Knows bytes only: what they mean, and how many
 * there may be, is the dictionary's to say.
 */
import { assert } from "../lib/assert.ts";
import { processHash, type ByteHash } from "../lib/hash.ts";
import { roomyBytes, roomyWords } from "./growing.ts";

// What every empty arena has; the first value takes buffers of its own.
const noBytes = Buffer.alloc(0);
const oneWord = new Uint32Array(1);

export class Arena {
  private bytes: Buffer = noBytes;
  /** By id: where its bytes end, which is where those of the next begin. */
  private ends: Uint32Array = oneWord;
  private hashes: Uint32Array = oneWord;
  /** Ids by hash; 0 is a free slot. As many as a power of two, and at most half of them taken. */
  private slots: Uint32Array = oneWord;
  private count = 1;

  /** `hash`: of a value's bytes. */
  constructor(readonly hash: ByteHash = processHash) {}

  /** One more than the greatest id. */
  get size(): number {
    return this.count;
  }

  /** The id of the first `length` of `bytes`, whose hash is given; 0 if they have none. */
  find(bytes: Uint8Array, length: number, hash: number): number {
    const { slots, hashes } = this;
    const mask = slots.length - 1;
    let slot = hash & mask;
    let id = slots[slot] as number;
    while (id !== 0 && (hashes[id] !== hash || !this.holds(id, bytes, length))) {
      slot = (slot + 1) & mask;
      id = slots[slot] as number;
    }
    return id;
  }

  /** Gives the first `length` of `bytes`, which are not there yet, an id. */
  add(bytes: Uint8Array, length: number, hash: number): number {
    const id = this.count;
    const start = this.ends[id - 1] as number;
    this.reserve(id + 1, start + length);
    for (let at = 0; at < length; at++) this.bytes[start + at] = bytes[at] as number;
    this.place(start + length, hash);
    return id;
  }

  /** The bytes of an id from 1 to `size - 1`, as UTF-8. */
  text(id: number): string {
    return this.bytes.toString("utf8", this.ends[id - 1], this.ends[id]);
  }

  /** A view of the bytes of an id. */
  view(id: number): Uint8Array {
    return this.bytes.subarray(this.ends[id - 1], this.ends[id]);
  }

  /** Views of the bytes of all ids from `first` on, and of where each ends, counted from the start of id 1. */
  since(first: number): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    const { count, ends } = this;
    return {
      bytes: this.bytes.subarray(ends[first - 1], ends[count - 1]),
      ends: ends.subarray(first, count),
    };
  }

  /** Takes what `since(size)` of another arena gave, whose earlier ids are those of this one. */
  append(bytes: Uint8Array, ends: Uint32Array): void {
    const first = this.count;
    const start = this.ends[first - 1] as number;
    this.reserve(first + ends.length, start + bytes.length);
    this.bytes.set(bytes, start);
    let from = 0;
    for (const end of ends) {
      this.place(end, this.hash(bytes, from, end - start));
      from = end - start;
    }
    assert(from === bytes.length, "arena: the values fill the bytes");
  }

  check(): void {
    assert(this.slots.length === 1 || this.slots.length >= 2 * (this.count - 1), "arena: slots are free");
    for (let id = 1; id < this.count; id++) {
      const view = this.view(id);
      assert(
        this.find(view, view.length, this.hashes[id] as number) === id,
        `arena: value ${id} finds itself`,
      );
    }
  }

  private holds(id: number, bytes: Uint8Array, length: number): boolean {
    const start = this.ends[id - 1] as number;
    if ((this.ends[id] as number) - start !== length) return false;
    const own = this.bytes;
    let at = 0;
    while (at < length && own[start + at] === bytes[at]) at++;
    return at === length;
  }

  /** Gives the next id to the bytes up to `end`. There is room. */
  private place(end: number, hash: number): void {
    const id = this.count++;
    this.ends[id] = end;
    this.hashes[id] = hash;
    this.occupy(id);
  }

  private occupy(id: number): void {
    const { slots } = this;
    const mask = slots.length - 1;
    let slot = (this.hashes[id] as number) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = id;
  }

  /** Makes room for ids below `size` and so many bytes in all. */
  private reserve(size: number, bytes: number): void {
    this.bytes = roomyBytes(this.bytes, bytes);
    this.ends = roomyWords(this.ends, size);
    this.hashes = roomyWords(this.hashes, size);
    if (this.slots.length >= size * 2) return;
    let length = Math.max(16, this.slots.length);
    while (length < size * 2) length *= 2;
    this.slots = new Uint32Array(length);
    for (let id = 1; id < this.count; id++) this.occupy(id);
  }
}
