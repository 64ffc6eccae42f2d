/** Finds the properties of rows: those of a chunk stand in the order in which they came, each with its row. */
import type { Chunk } from "../../store/chunks/chunk.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { textOf } from "../names/value-text.ts";

/** A property as an export has it. */
export interface RowProperty {
  /** RFC 3339, in UTC. */
  readonly time: string;
  readonly name: string;
  readonly value: string;
  /** The value as a number; null for one that is none. */
  readonly number: number | null;
  /** `name`, `value` or both, where they are not kept apart. */
  readonly others: string;
}

export class RowProperties {
  /** By row, counted from `from`: one more than the index of the first property, 0 for none. */
  private readonly first: Uint32Array;
  /** By index, counted from `least`: one more than that of the row's next property. */
  private readonly next: Uint32Array;
  private readonly least: number;

  /** Finds those of the rows from `from` up to `to`. */
  constructor(
    private readonly site: ReadSite,
    private readonly chunk: Chunk,
    private readonly from: number,
    to: number,
  ) {
    const { propertyRow, properties } = chunk;
    const isIn = (index: number) => propertyRow[index]! >= from && propertyRow[index]! < to;
    let least = 0;
    while (least < properties && !isIn(least)) least++;
    let greatest = properties;
    while (greatest > least && !isIn(greatest - 1)) greatest--;
    this.least = least;
    this.first = new Uint32Array(greatest > least ? to - from : 0);
    this.next = new Uint32Array(greatest - least);
    for (let index = greatest - 1; index >= least; index--) {
      if (propertyRow[index] === movedRow || !isIn(index)) continue;
      const row = propertyRow[index]! - from;
      this.next[index - least] = this.first[row]!;
      this.first[row] = index + 1;
    }
  }

  /** Returns those of a row, in the order in which they came. */
  of(row: number): readonly RowProperty[] {
    let after = this.first[row - this.from] ?? 0;
    if (after === 0) return noProperties;
    const found: RowProperty[] = [];
    for (; after !== 0; after = this.next[after - 1 - this.least]!) found.push(this.at(after - 1));
    return found;
  }

  private at(index: number): RowProperty {
    const { site, chunk } = this;
    const [name, value] = [chunk.propertyName[index]!, chunk.propertyValue[index]!];
    const number = chunk.propertyNumber[index]!;
    const others = [...(name === overflowId ? ["name"] : []), ...(value === overflowId ? ["value"] : [])];
    return {
      time: new Date(chunk.propertyTimeMs(index)).toISOString(),
      name: textOf(site.propertyNames, name),
      value: textOf(site.propertyValues, value),
      number: Number.isNaN(number) ? null : number,
      others: others.join(" "),
    };
  }
}

const noProperties: readonly RowProperty[] = [];
