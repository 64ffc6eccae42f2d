/**
 * Counts what few values of any dimensions have in common: one walk over the selected rows gives each row a set of these
 * values as bits, and adds it to the counts of that set. A difference is scaled by the number of periods of the base, so
 * that all of them are whole numbers.
 */
import type { ColumnName } from "../../core/questions/dimension.ts";
import type { Filter, Period } from "../../core/questions/query.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedFlags, selectedIds } from "../rows/block.ts";
import { visitSelected } from "../rows/select.ts";

/** The most values that are told apart: the bits of a set. */
export const jointMax = 30;

/** A value: the ids of its column that are in its group. */
export interface JointValue {
  readonly column: ColumnName;
  readonly group: number;
  readonly ofColumn: Uint32Array;
}

/** The rows that count: all page views, or those of visitors, or those with which a visitor first sees a page. */
export type JointUnit = "views" | "unique" | "first";

/** The differences of one set of values, by unit. */
type Differences = Record<JointUnit, number>;

export class JointDifferences {
  private readonly bySet = new Map<number, Differences>();
  private readonly sets = new Map<ColumnName, Uint32Array>();

  /** `values`: at most `jointMax`. */
  constructor(values: readonly JointValue[]) {
    values.forEach(({ column, group, ofColumn }, bit) => {
      const sets = this.sets.getOrInsertComputed(column, () => new Uint32Array(ofColumn.length));
      for (let id = 0; id < sets.length; id++) if (ofColumn[id] === group) sets[id]! |= 1 << bit;
    });
  }

  /** Adds each selected row of a period this many times. Throws Cancelled. */
  add(period: Period, filters: readonly Filter[], times: number, context: QueryContext): void {
    visitSelected({ period, filters }, context, (block) => {
      const set = new Uint32Array(block.count);
      for (const [column, sets] of this.sets) {
        const ids = selectedIds(block, column);
        for (let at = 0; at < block.count; at++) set[at]! |= sets[ids[at]!]!;
      }
      const flags = selectedFlags(block);
      for (let at = 0; at < block.count; at++)
        if (set[at] !== 0 && (flags[at]! & rowFlag.bare) === 0) this.addRow(set[at]!, flags[at]!, times);
    });
  }

  /** Returns the difference of the rows that have all values of `having` and none of `without`, both as bits. */
  of(unit: JointUnit, having: number, without = 0): number {
    let sum = 0;
    for (const [set, differences] of this.bySet)
      if ((set & having) === having && (set & without) === 0) sum += differences[unit];
    return sum;
  }

  private addRow(set: number, flags: number, times: number): void {
    const known = this.bySet.get(set) ?? { views: 0, unique: 0, first: 0 };
    this.bySet.set(set, known);
    known.views += times;
    if ((flags & rowFlag.unique) !== 0) known.unique += times;
    if ((flags & rowFlag.first) !== 0) known.first += times;
  }
}
