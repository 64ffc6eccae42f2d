/** A map by texts that strangers choose, which finds its oldest entry at once. `set` makes an entry the newest. */
import { textKey } from "../hashes/text-key.ts";
import { OldestFirst } from "./oldest-first.ts";

type Entry<V> = readonly [text: string, value: V];

export class TextMap<V> {
  private readonly entries = new OldestFirst<number, Entry<V>>();

  get size(): number {
    return this.entries.size;
  }

  get(text: string): V | undefined {
    const entry = this.entries.get(textKey(text));
    return entry?.[0] === text ? entry[1] : undefined;
  }

  set(text: string, value: V): void {
    this.entries.set(textKey(text), [text, value]);
  }

  delete(text: string): void {
    this.entries.delete(textKey(text));
  }

  /** Returns the entry that was set longest ago; undefined if there is none. */
  oldest(): Entry<V> | undefined {
    return this.entries.oldest()?.[1];
  }

  /** Iterates over the entries of now, the one that was set longest ago first. */
  [Symbol.iterator](): ArrayIterator<Entry<V>> {
    return this.entries.values().values();
  }
}
