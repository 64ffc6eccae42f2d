/**
 * A map that finds its oldest entry at once: its entries are linked in the order in which they were last set. A plain map
 * looks for its first entry past all that were deleted. And an entry that is deleted and set again at each use stays there, as
 * a deleted one, among those of its hash until the map copies itself: 60 to 120 microseconds a use among tens of thousands.
 */
interface Entry<K, V> {
  readonly key: K;
  value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

export class OldestFirst<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private first: Entry<K, V> | undefined;
  private last: Entry<K, V> | undefined;

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key)?.value;
  }

  /** Returns the value of an entry, which becomes the newest. */
  use(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.renew(entry);
    return entry.value;
  }

  /** The entry becomes the newest. */
  set(key: K, value: V): void {
    const known = this.entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.renew(known);
      return;
    }
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.append(entry);
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.unlink(entry);
  }

  clear(): void {
    this.entries.clear();
    this.first = this.last = undefined;
  }

  /** Returns the entry that was set longest ago; undefined if there is none. */
  oldest(): readonly [K, V] | undefined {
    return this.first && [this.first.key, this.first.value];
  }

  /** Returns the values, the one that was set longest ago first. A list of them takes a fraction of what a generator does. */
  values(): V[] {
    const values: V[] = [];
    for (let entry = this.first; entry !== undefined; entry = entry.newer) values.push(entry.value);
    return values;
  }

  private renew(entry: Entry<K, V>): void {
    if (entry === this.last) return;
    this.unlink(entry);
    this.append(entry);
  }

  /** Links an entry that is not linked, as the newest. */
  private append(entry: Entry<K, V>): void {
    entry.older = this.last;
    entry.newer = undefined;
    if (this.last === undefined) this.first = entry;
    else this.last.newer = entry;
    this.last = entry;
  }

  private unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.first = newer;
    else older.newer = newer;
    if (newer === undefined) this.last = older;
    else newer.older = older;
  }
}
