/** A map of at most `entriesMax` entries that forgets the least recently used one first. */
import { ownText } from "../texts/own-text.ts";
import { Recency, type Linked } from "./recency.ts";

interface Entry<K, V> extends Linked<Entry<K, V>> {
  readonly key: K;
  value: V;
}

export class Lru<K, V> {
  private readonly entries = new Map<K, Entry<K, V>>();
  private readonly order = new Recency<Entry<K, V>>();

  constructor(private readonly entriesMax: number) {}

  get(key: K): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.order.use(entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    const known = this.entries.get(key);
    if (known !== undefined) {
      known.value = value;
      this.order.use(known);
      return;
    }
    const entry: Entry<K, V> = { key, value, older: undefined, newer: undefined };
    this.entries.set(key, entry);
    this.order.add(entry);
    const { oldest } = this.order;
    if (this.entries.size > this.entriesMax && oldest !== undefined) this.delete(oldest.key);
  }

  delete(key: K): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.order.remove(entry);
  }

  get size(): number {
    return this.entries.size;
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
