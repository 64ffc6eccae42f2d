/**
 * Selects the rows of a website that a removal takes: those of a period that have selected values, as a byte for each
 * id. Unlike the filters of a question it also selects events without a page view, and never an empty row.
 */
import { columnNames, type ColumnName } from "../../../core/questions/dimension.ts";
import {
  columnOf,
  dimensionIndex,
  type StoredFilterName,
  type StoredName,
} from "../../../core/questions/stored-dimension.ts";
import type { Period } from "../../../core/questions/query.ts";
import type { RecordOf } from "../../../record/record.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import { firstFrom } from "../../chunks/first-from.ts";
import { rowEdit, type RowEdits } from "../../columns/row-edits.ts";
import { emptyRowFlags } from "../../columns/row-flag.ts";
import { rowsWithProperty, selects, type PropertyMasks } from "../../chunks/rows-with-property.ts";
import { overflowId, type Dictionary } from "../../values/dictionary.ts";
import { columnMembers, type Site, type TupleColumn } from "../site.ts";

/** By id: 1 for one that is selected. */
type Mask = Uint8Array;
/** By name of a filter: the values that are selected. A name that is missing selects all. */
export type ValueMasks = ReadonlyMap<StoredFilterName, Mask>;

/** Rows that are looked at in one step. */
const stepRows = 131_072;

export class RowFilter {
  /** By column, for those with a filter. */
  private readonly masks = new Map<ColumnName, Mask>();

  constructor(
    private readonly site: Site,
    readonly period: Period,
    readonly values: ValueMasks,
  ) {
    for (const column of columnNames) {
      const mask = this.columnMask(column);
      if (mask !== undefined) this.masks.set(column, mask);
    }
  }

  /** Returns the filter that a record states. */
  static of(site: Site, { startMs, endMs, having }: RecordOf<"rowsRemoved">): RowFilter {
    const period = { startMs: startMs ?? -Infinity, endMs: endMs ?? Infinity };
    const masks = having.map(({ name, values }) => {
      const dictionary = dictionaryOf(site, name);
      const mask = new Uint8Array(dictionary.size);
      for (const value of values) {
        const id = value === null ? overflowId : dictionary.find(value);
        if (value === null || id !== overflowId) mask[id] = 1;
      }
      return [name, mask] as const;
    });
    return new RowFilter(site, period, new Map(masks));
  }

  /**
   * Marks the rows of a chunk that are selected, some thousands a step; returns whether there are any. Throws what
   * reading columns throws.
   */
  *select(chunk: Chunk, edits: RowEdits): Generator<void, boolean> {
    const { startMs, endMs } = this.period;
    if (chunk.minMs > endMs || chunk.maxMs < startMs) return false;
    const from = chunk.sorted ? firstFrom(chunk, startMs, 0, chunk.rows) : 0;
    const to = chunk.sorted ? firstFrom(chunk, endMs + 1, from, chunk.rows) : chunk.rows;
    const holders = this.hasProperties ? rowsWithProperty(chunk, this.propertyMasks) : undefined;
    let any = 0;
    for (let start = from; start < to; start += stepRows) {
      any |= this.selectRows(chunk, edits, start, Math.min(to, start + stepRows), holders);
      yield;
    }
    return any !== 0;
  }

  /** Whether a property of a selected row is one of those that the filters ask for. */
  selectsProperty(nameId: number, valueId: number): boolean {
    const { names, values } = this.propertyMasks;
    return selects(names, nameId) && selects(values, valueId);
  }

  private get propertyMasks(): PropertyMasks {
    return { names: this.values.get("prop_name"), values: this.values.get("prop_value") };
  }

  /** One more than the greatest id of a column that it selects among. */
  sizeOf(column: ColumnName): number {
    return this.masks.get(column)?.length ?? 0;
  }

  get hasProperties(): boolean {
    return this.values.has("prop_name") || this.values.has("prop_value");
  }

  private selectRows(chunk: Chunk, edits: RowEdits, from: number, to: number, holders?: Mask): number {
    const { startMs, endMs } = this.period;
    const [start, end] = [startMs - chunk.monthMs, endMs - chunk.monthMs];
    const { time, flags } = chunk;
    for (let row = from; row < to; row++) {
      const ms = time[row]!;
      edits[row] = ms >= start && ms <= end && flags[row] !== emptyRowFlags ? rowEdit.remove : rowEdit.none;
    }
    for (const [column, mask] of this.masks) keepMasked(edits, chunk.ids[column].values, mask, from, to);
    if (holders !== undefined) for (let row = from; row < to; row++) edits[row]! &= holders[row]!;
    let any = 0;
    for (let row = from; row < to; row++) any |= edits[row]!;
    return any;
  }

  private columnMask(column: ColumnName): Mask | undefined {
    if (column === "path") return this.values.get("path");
    const { members, size } = this.site.tuples[column as TupleColumn];
    let mask: Mask | undefined;
    for (const [name, selected] of this.values) {
      if (columnOf(name) !== column) continue;
      mask ??= new Uint8Array(size).fill(1);
      const ids = members[columnMembers[column].indexOf(dimensionIndex[name as StoredName])]!;
      for (let tuple = 0; tuple < size; tuple++) mask[tuple]! &= selected[ids[tuple]!]!;
    }
    return mask;
  }
}

/** Returns the dictionary with the values that a filter of that name selects among. */
export function dictionaryOf(site: Site, name: StoredFilterName): Dictionary {
  if (name === "prop_name") return site.propertyNames;
  if (name === "prop_value") return site.propertyValues;
  return site.dictionaries[dimensionIndex[name]]!;
}

/** Clears the marks of rows whose id is not selected. An id that came after the mask was made is not. */
function keepMasked(
  edits: RowEdits,
  ids: Uint16Array | Uint32Array,
  mask: Mask,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) edits[row]! &= mask[ids[row]!] ?? 0;
}
