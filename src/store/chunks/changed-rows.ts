/**
 * Knows which rows of a chunk hits have changed since a checkpoint began a file with all of its rows, and which properties
 * moved. The next checkpoint copies only these, and so does what another thread is sent. A row in here may be as it is in
 * the file; every row that is not is in here.
 */
export class ChangedRows {
  /** A bit for each row: 8 KB for a full chunk, however many change. */
  private readonly bits: Uint32Array;
  /** The indexes of properties that moved to a row elsewhere. */
  readonly moved: number[] = [];

  constructor(
    /** The name of the chunk's file. */
    readonly file: string,
    rows: number,
    /** The number of properties in the file. */
    readonly properties: number,
    /** Whether hardly a hit came for the chunk any more when the file was begun, as far as is known. */
    readonly isQuiet = true,
  ) {
    this.bits = new Uint32Array((rows + 31) >>> 5);
  }

  add(row: number): void {
    this.bits[row >>> 5]! |= 1 << (row & 31);
  }

  /** Returns what has changed since the same file, according to one that knows more. */
  with(more: ChangedRows): ChangedRows {
    const all = new ChangedRows(this.file, 32 * this.bits.length, this.properties, this.isQuiet);
    all.addAll(more);
    return all;
  }

  addAll({ rows, moved }: { readonly rows: Iterable<number>; readonly moved: Iterable<number> }): void {
    for (const row of rows) this.add(row);
    for (const index of moved) this.moved.push(index);
  }

  /** The rows, rising. */
  get rows(): Uint16Array {
    const { bits } = this;
    const rows = new Uint16Array(32 * bits.length);
    let count = 0;
    for (let at = 0; at < bits.length; at++)
      // The loop below is: for each bit of the word, from the lowest one on.
      for (let word = bits[at]!; word !== 0; word &= word - 1)
        rows[count++] = 32 * at + 31 - Math.clz32(word & -word);
    return rows.slice(0, count);
  }
}
