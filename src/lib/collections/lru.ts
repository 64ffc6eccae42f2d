/**
 * A map of at most `entriesMax` entries that forgets the least recently used one first. Its entries are linked in the
 * order of their last use: a map that deletes and sets an entry at each use has that order too, but copies itself again
 * and again, looks for the entry past all that it deleted, and keeps every copy for an iterator that waits at the oldest.
 */
import { ownText } from "../texts/own-text.ts";

interface Entry<K, V> {
  readonly key: K;
  value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

export class Lru<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private oldest: Entry<K, V> | undefined;
  private newest: Entry<K, V> | undefined;

  constructor(private readonly entriesMax: number) {}

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.use(entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    const known = this.entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.use(known);
      return;
    }
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.append(entry);
    if (this.entries.size > this.entriesMax && this.oldest !== undefined) this.delete(this.oldest.key);
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.unlink(entry);
  }

  get size(): number {
    return this.entries.size;
  }

  private use(entry: Entry<K, V>): void {
    if (entry === this.newest) return;
    this.unlink(entry);
    this.append(entry);
  }

  /** Links an entry that is not linked, as the newest. */
  private append(entry: Entry<K, V>): void {
    entry.older = this.newest;
    entry.newer = undefined;
    if (this.newest === undefined) this.oldest = entry;
    else this.newest.newer = entry;
    this.newest = entry;
  }

  private unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.newest = older;
    else newer.older = older;
  }
}

/**
 * Returns `compute` with the results of the latest texts remembered. It computes those of a text of more than
 * `charactersMax` characters each time, so that one visitor cannot fill the memory; what throws is not remembered.
 */
export function remembering<V extends {}>(
  compute: (text: string) => V,
  entriesMax: number,
  charactersMax: number,
): (text: string) => V {
  const known = new Lru<string, V>(entriesMax);
  return (text) => {
    if (text.length > charactersMax) return compute(text);
    const remembered = known.get(text);
    if (remembered !== undefined) return remembered;
    const value = compute(text);
    // A line of an imported log may be much longer than what is read of it.
    known.set(ownText(text), value);
    return value;
  };
}
