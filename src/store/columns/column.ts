/** Typed-array columns that grow by copy; only a chunk's first `rows` entries count. */
import { growingHalves, growingWords } from "../values/growing.ts";

/** Holds ids in 16 bits until one needs 32: beyond the cache, a scan's speed is bound by the bytes of a row. */
export class IdColumn {
  values: Uint16Array | Uint32Array;

  constructor(values: Uint16Array | Uint32Array) {
    this.values = values;
  }

  set(row: number, id: number): void {
    if (id > 0xffff && this.values instanceof Uint16Array)
      this.values = grown(this.values, growingWords(this.values.length));
    this.values[row] = id;
  }

  grow(capacity: number): void {
    const wide = this.values instanceof Uint32Array;
    this.values = wide
      ? grown(this.values, growingWords(capacity))
      : grown(this.values, growingHalves(capacity));
  }
}

/** Copies the entries of `from` to the start of `to`, and returns `to`. */
export function grown<T extends { set(from: ArrayLike<number>): void }>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}
