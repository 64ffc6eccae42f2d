/** A map of at most `entriesMax` entries that forgets the least recently used one first. */
import { OldestFirst } from "./oldest-first.ts";

export class Lru<K, V> {
  private readonly entries = new OldestFirst<K, V>();

  constructor(private readonly entriesMax: number) {}

  get(key: K): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.entriesMax) return;
    const [oldest] = this.entries.oldest() as readonly [K, V];
    this.entries.delete(oldest);
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  get size(): number {
    return this.entries.size;
  }
}
