/**
 * Strings of one dimension of one website, each with a small id. Ids are dense, start at 1 and never change. Id 0 is
 * overflow: every value that is not kept apart. Which values are kept apart is decided before the log
 * (engine/admission); the bounds here are those of the format alone. A literal "(other)" is an ordinary value with its
 * own id. Values are kept as UTF-8 in an arena. Half a surrogate pair has no UTF-8, and fails an assertion: the log
 * lets no such string in.
 */
import { assert } from "../../lib/assert.ts";
import type { ByteHash } from "../../lib/hashes/hash.ts";
import { encode, encoded } from "../../lib/texts/utf8.ts";
import { Arena } from "./arena.ts";

export const overflowId = 0;
/** The most values of a dictionary. */
const dictionaryValuesMax = 2 ** 24 - 1;
/** The most bytes of UTF-8 of all values of a dictionary. Exported for tests. */
export const dictionaryBytesMax = 2 ** 30;

export class Dictionary {
  private readonly arena: Arena;
  /** The id of "", which is half of all values; `overflowId` until it was found once. */
  private emptyId = overflowId;

  /** The value that was found last: of most dimensions it is the next one too. */
  private lastValue = "";
  private lastId = overflowId;

  constructor(
    private readonly valuesMax = dictionaryValuesMax,
    hash?: ByteHash,
  ) {
    this.arena = new Arena(hash);
  }

  /** The id of a value; `overflowId` if it has none. */
  find(value: string): number {
    const remembered = this.remembered(value);
    if (remembered !== overflowId) return remembered;
    const length = encodeWhole(value);
    return this.remember(value, this.arena.find(encoded, length, this.arena.hash(encoded, 0, length)));
  }

  private remembered(value: string): number {
    if (value === "") return this.emptyId;
    return value === this.lastValue ? this.lastId : overflowId;
  }

  private remember(value: string, id: number): number {
    if (id === overflowId) return id;
    if (value === "") this.emptyId = id;
    else {
      this.lastValue = value;
      this.lastId = id;
    }
    return id;
  }

  /** Whether a value has an id. */
  has(value: string): boolean {
    return this.find(value) !== overflowId;
  }

  /** How many bytes of UTF-8 all values have. */
  get bytes(): number {
    return this.arena.bytesUsed;
  }

  /** Returns how many bytes the values have whose ids are marked. */
  bytesOf(marks: Uint8Array): number {
    const { ends } = this.since(1);
    let bytes = 0;
    for (let id = 1; id < this.size; id++) if (marks[id]) bytes += ends[id - 1]! - (ends[id - 2] ?? 0);
    return bytes;
  }

  /** The id of a value, which is added if it is new and there is room; else `overflowId`. */
  intern(value: string): number {
    const remembered = this.remembered(value);
    if (remembered !== overflowId) return remembered;
    const length = encodeWhole(value);
    const hash = this.arena.hash(encoded, 0, length);
    const known = this.arena.find(encoded, length, hash);
    if (known !== overflowId) return this.remember(value, known);
    if (this.size > this.valuesMax || this.bytes + length > dictionaryBytesMax) return overflowId;
    return this.arena.add(encoded, length, hash);
  }

  /**
   * Copies the values whose ids are marked in `used` to `to`, which is empty, in the order of their ids. Returns the
   * new id for each old one; `overflowId` for values that are not used, and for the overflow itself.
   */
  moveUsed(used: Uint8Array, to: Dictionary): Uint32Array {
    assert(used.length === this.size && to.size === 1, "dictionary: moved whole, into an empty one");
    return this.arena.moveUsed(used, to.arena);
  }

  /** Returns the value of an id from 1 to `size - 1`. */
  value(id: number): string {
    assert(id !== overflowId && id < this.size, `dictionary has no value ${id} of ${this.size}`);
    return this.arena.text(id);
  }

  /** One more than the greatest id: the length of an array indexed by id. */
  get size(): number {
    return this.arena.size;
  }

  /**
   * Returns the UTF-8 of all values from the id `first` on, and the end of each, counted from the start of id 1. Both
   * are views of memory that never changes.
   */
  since(first: number): { readonly bytes: Uint8Array; readonly ends: Uint32Array } {
    return this.arena.since(first);
  }

  /** Appends the values that `since(size)` returned for a longer version of the same dictionary. */
  append(bytes: Uint8Array, ends: Uint32Array): void {
    this.arena.append(bytes, ends);
  }

  check(): void {
    this.arena.check();
    assert(this.size <= this.valuesMax + 1, "dictionary: no more values than it may have");
    assert(this.bytes <= dictionaryBytesMax, "dictionary: no more bytes than it may have");
  }
}

/** Does what `encode` does. What is longer in UTF-8 is no ASCII. */
function encodeWhole(value: string): number {
  const length = encode(value);
  assert(length === value.length || value.isWellFormed(), "a value holds no lone surrogate");
  return length;
}
