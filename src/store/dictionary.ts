/**
 * Strings of one dimension of one website, each with a small id. Ids are dense, start at 1 and never change.
 * Id 0 is overflow: what comes when the dictionary is full; values already known are always found. A literal
 * "(other)" is an ordinary value with its own id.
 */
import { assert } from "../lib/assert.ts";

export const overflowId = 0;
/** Sum of the lengths of all values, in UTF-16 code units. Format 1: bounds what strangers can make us keep. */
export const dictionaryCharactersMax = 64 * 1024 * 1024;

export class Dictionary {
  private readonly ids = new Map<string, number>();
  private readonly values: string[] = [""];
  private characters = 0;

  constructor(private readonly valuesMax: number) {}

  /** The id of a value, which is added if it is new and there is room; else `overflowId`. */
  intern(value: string): number {
    const known = this.ids.get(value);
    if (known !== undefined) return known;
    const full = this.ids.size >= this.valuesMax || this.characters + value.length > dictionaryCharactersMax;
    return full ? overflowId : this.add(value);
  }

  /**
   * Gives `to`, which is empty, the values whose id `used` marks, in the order of their ids. Returns the new id of
   * each old one; that of a value which is not used, and of the overflow, is `overflowId`.
   */
  moveUsed(used: Uint8Array, to: Dictionary): Uint32Array {
    assert(used.length === this.size && to.size === 1, "dictionary: moved whole, into an empty one");
    const newIds = new Uint32Array(this.size);
    for (let id = 1; id < newIds.length; id++) if (used[id]) newIds[id] = to.add(this.values[id] as string);
    return newIds;
  }

  /** The value of an id from 1 to `size - 1`. */
  value(id: number): string {
    const value = this.values[id];
    assert(
      value !== undefined && id !== overflowId,
      `dictionary has no value ${id} of ${this.values.length}`,
    );
    return value;
  }

  /** One more than the greatest id: the length of an array indexed by id. */
  get size(): number {
    return this.values.length;
  }

  check(): void {
    assert(this.ids.size === this.values.length - 1, "dictionary: as many ids as values");
    for (const [value, id] of this.ids)
      assert(this.values[id] === value, `dictionary: id ${id} finds its value`);
  }

  private add(value: string): number {
    const id = this.values.length;
    this.ids.set(value, id);
    this.values.push(value);
    this.characters += value.length;
    return id;
  }
}
