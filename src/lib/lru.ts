/** A map of at most `entriesMax` entries that forgets the least recently used one first. */
export class Lru<K, V> {
  private readonly entries = new Map<K, V>();

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
    const [oldest] = this.entries.keys();
    this.entries.delete(oldest as K);
  }

  delete(key: K): void {
    this.entries.delete(key);
  }

  get size(): number {
    return this.entries.size;
  }
}
