/** Typed-array columns that grow by copy; only a chunk's first `rows` entries count. */
import { growingHalves, growingWords } from "../values/growing.ts";

export type Ids = Uint16Array | Uint32Array;

/** Ids that are made of stored ones, which take no memory, whenever they are asked for. */
export interface MadeIds {
  readonly stored: Ids;
  readonly make: () => Ids;
}

/** Holds ids in 16 bits until one needs 32: beyond the cache, a scan's speed is bound by the bytes of a row. */
export class IdColumn {
  private own: Ids | undefined;
  private made: MadeIds | undefined;

  constructor(values: Ids | MadeIds) {
    if ("make" in values) this.made = values;
    else this.own = values;
  }

  get values(): Ids {
    return this.own ?? (this.made as MadeIds).make();
  }

  /** The ids of which the values are made, or the values themselves. */
  get stored(): Ids {
    return this.own ?? (this.made as MadeIds).stored;
  }

  set(row: number, id: number): void {
    if (id > 0xffff && this.values instanceof Uint16Array)
      this.keep(grown(this.values, growingWords(this.values.length)));
    this.values[row] = id;
  }

  grow(capacity: number): void {
    const { values } = this;
    const wide = values instanceof Uint32Array;
    this.keep(grown(values, wide ? growingWords(capacity) : growingHalves(capacity)));
  }

  private keep(values: Ids): void {
    this.own = values;
    this.made = undefined;
  }
}

/** Copies the entries of `from` to the start of `to`, and returns `to`. */
export function grown<T extends { set(from: ArrayLike<number>): void }>(from: ArrayLike<number>, to: T): T {
  to.set(from);
  return to;
}
