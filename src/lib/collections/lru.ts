/** A map of at most so many entries that forgets the least recently used one first. */
import { ownText } from "../texts/own-text.ts";
import { OldestFirst } from "./oldest-first.ts";

export class Lru<K, V> {
  private readonly entries = new OldestFirst<K, V>();

  constructor(private readonly entriesMax: number) {}

  get(key: K): V | undefined {
    return this.entries.use(key);
  }

  set(key: K, value: V): void {
    this.entries.set(key, value);
    if (this.entries.size > this.entriesMax) this.entries.delete(this.entries.oldest()![0]);
  }

  delete(key: K): void {
    this.entries.delete(key);
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
