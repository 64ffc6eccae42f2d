/** The properties of the rows that a question selects: they go by the time of their row. */
import type { ColumnName } from "../../core/questions/dimension.ts";
import type { Selection } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { QueryContext } from "../cache/context.ts";
import { compileFilters, type CompiledFilters } from "./filters/compiled-filters.ts";
import type { Mask } from "./filters/mask.ts";
import { rowsWithProperty } from "../../store/chunks/rows-with-property.ts";
import { touches } from "./range.ts";
import type { VisitSet } from "./visit-numbers.ts";

export class SelectedProperties {
  private readonly compiled: CompiledFilters;

  constructor(
    private readonly selection: Selection,
    private readonly context: QueryContext,
  ) {
    this.compiled = compileFilters(selection.filters, context);
  }

  /** Returns the chunks with rows in the period that have properties. */
  get chunks(): readonly Chunk[] {
    const { period } = this.selection;
    return [...this.context.site.chunks.values()].filter(
      (chunk) => chunk.properties > 0 && touches(chunk, period),
    );
  }

  /**
   * Returns the indexes of a chunk's properties with these names and a selected row, rising. `visits`: only those of rows
   * of these visits. Throws Cancelled.
   */
  of(chunk: Chunk, names: Mask, visits?: VisitSet): Uint32Array {
    this.context.throwIfCancelled();
    this.context.rowsRead += chunk.properties;
    const { propertyName, propertyRow, time, monthMs, properties, visit } = chunk;
    const { startMs, endMs } = this.selection.period;
    const holders = this.compiled.properties && rowsWithProperty(chunk, this.compiled.properties);
    const kept = new Uint32Array(properties);
    let count = 0;
    for (let index = 0; index < properties; index++) {
      const row = propertyRow[index]!;
      if (names[propertyName[index]!] === 0 || row === movedRow) continue;
      const ms = time[row]! + monthMs;
      if (ms < startMs || ms > endMs || holders?.[row] === 0 || visits?.has(visit[row]!) === false) continue;
      kept[count++] = index;
    }
    return keepMasked(chunk, kept.subarray(0, count), this.compiled.masks);
  }
}

/** Narrows properties, by their indexes, to those whose row has an id with a 1 in the mask of each column. */
export function keepMasked(
  { ids, propertyRow }: Chunk,
  kept: Uint32Array,
  masks: ReadonlyMap<ColumnName, Mask>,
): Uint32Array {
  let count = kept.length;
  for (const [column, mask] of masks) {
    const { values } = ids[column];
    let selected = 0;
    for (let at = 0; at < count; at++) {
      const index = kept[at]!;
      kept[selected] = index;
      selected += mask[values[propertyRow[index]!]!]!;
    }
    count = selected;
  }
  return kept.subarray(0, count);
}
