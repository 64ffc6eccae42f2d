/**
 * The rows of a chunk that pass all filters of a question, with copies of their columns. If they are few, reading the
 * copies in sequence saves one line of the processor's cache for each row and column, every time the rows are read. A
 * column is copied when it is first asked for.
 */
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { blockRows, type BlockRows } from "./block.ts";
import { matchesBefore, type Matches } from "./matches.ts";

/**
 * Copies are made if at most one row in this many matches. Of a tenth of ten million, the copies of a page take 30 ms of
 * the first question, and save 20 of each later one; of a twenty-fifth, they take 10 and save 25.
 */
const rowsPerMatchMin = 16;

type Column = Uint8Array | Uint16Array | Uint32Array;

export class MatchedRows implements BlockRows {
  readonly monthMs: number;
  /** Rows are copied of chunks that no longer change. */
  readonly sealed = true;
  readonly sorted: boolean;
  readonly ids: BlockRows["ids"];
  private readonly copies = new Map<string, Column>();

  constructor(
    private readonly chunk: Chunk,
    private readonly matches: Matches,
  ) {
    this.monthMs = chunk.monthMs;
    this.sorted = chunk.sorted;
    const ids = columnNames.map((name) => [name, this.idColumn(name)]);
    this.ids = Object.fromEntries(ids) as BlockRows["ids"];
  }

  get time(): Uint32Array {
    return this.copy("time", ({ time }) => time);
  }

  get flags(): Uint8Array {
    return this.copy("flags", ({ flags }) => flags);
  }

  get duration(): Uint32Array {
    return this.copy("duration", ({ duration }) => duration);
  }

  get visit(): Uint32Array {
    return this.copy("visit", ({ visit }) => visit);
  }

  get visitFlags(): Uint8Array {
    return this.copy("visit.flags", ({ visitFlags }) => visitFlags);
  }

  /** Returns the range of the copies for the rows from `from` up to `to` of the chunk. */
  range(from: number, to: number): readonly [first: number, end: number] {
    return [matchesBefore(this.matches, from), matchesBefore(this.matches, to)];
  }

  private idColumn(name: ColumnName): BlockRows["ids"][ColumnName] {
    const copied = () => this.copy(name, ({ ids }) => ids[name].values);
    return {
      get values() {
        return copied();
      },
    };
  }

  /** Calls `of` once for a name: the chunk may have to be mapped for it. */
  private copy<T extends Column>(name: string, of: (chunk: Chunk) => T): T {
    const known = this.copies.get(name) as T | undefined;
    if (known !== undefined) return known;
    const column = of(this.chunk);
    const made = column.slice(0, this.matches.rows.length) as T;
    if (column instanceof Uint8Array) copyBytes(column, this.matches, made as Uint8Array);
    else if (column instanceof Uint16Array) copyHalves(column, this.matches, made as Uint16Array);
    else copyWords(column, this.matches, made as Uint32Array);
    this.copies.set(name, made);
    return made;
  }
}

/** Returns whether there are too many matches for copies to be worth their memory. */
export function areMany({ rows }: Chunk, matches: Matches): boolean {
  return matches.rows.length * rowsPerMatchMin > rows;
}

/** Returns how many bytes the copies of all columns take. */
export function copiedBytes({ ids }: Chunk, matches: Matches): number {
  const count = matches.rows.length;
  const idBytes = columnNames.reduce((sum, name) => sum + ids[name].values.BYTES_PER_ELEMENT, 0);
  return count * (idBytes + 4 + 1 + 4 + 4 + 1);
}

// Each of the loops below sees one kind of array.

function copyBytes(from: Uint8Array, { rows, ends }: Matches, to: Uint8Array): void {
  let at = 0;
  for (let block = 0; block < ends.length; block++) {
    const start = block * blockRows;
    for (const end = ends[block]!; at < end; at++) to[at] = from[start + rows[at]!]!;
  }
}

function copyHalves(from: Uint16Array, { rows, ends }: Matches, to: Uint16Array): void {
  let at = 0;
  for (let block = 0; block < ends.length; block++) {
    const start = block * blockRows;
    for (const end = ends[block]!; at < end; at++) to[at] = from[start + rows[at]!]!;
  }
}

function copyWords(from: Uint32Array, { rows, ends }: Matches, to: Uint32Array): void {
  let at = 0;
  for (let block = 0; block < ends.length; block++) {
    const start = block * blockRows;
    for (const end = ends[block]!; at < end; at++) to[at] = from[start + rows[at]!]!;
  }
}
