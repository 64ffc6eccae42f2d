/** Marks the ids of a website that some of its chunks use: arrays by id, 1 for an id that is used. */
import { columnNames, type ColumnName } from "../../core/dimension.ts";
import { movedRow, type Chunk } from "../columns/chunk.ts";
import { columnsOf } from "../columns/columns.ts";
import { rowEdit, type RowEdits } from "../columns/row-edits.ts";
import type { Site } from "./site.ts";

type PropertyColumn = "propertyName" | "propertyValue";

export class UsedIds {
  private readonly added = new WeakSet<Chunk>();
  private readonly used: Record<ColumnName | PropertyColumn, Uint8Array> = {
    ...columnsOf(() => new Uint8Array(0)),
    propertyName: new Uint8Array(0),
    propertyValue: new Uint8Array(0),
  };

  constructor(private readonly site: Site) {}

  /**
   * Marks the ids of a chunk, without those of removed rows, unless it is sealed and was added before. Throws what
   * reading its columns throws.
   */
  add(chunk: Chunk, edits?: RowEdits): void {
    if (this.added.has(chunk)) return;
    const { ids, rows, propertyRow, properties } = chunk;
    for (const name of columnNames) {
      if (edits === undefined) markRows(this.of(name), ids[name].values, rows);
      else markKeptRows(this.of(name), ids[name].values, edits);
    }
    for (const name of ["propertyName", "propertyValue"] as const)
      markProperties(this.of(name), chunk[name], propertyRow, properties, edits);
    if (chunk.sealed) this.added.add(chunk);
  }

  /** Returns the marks for one kind of id. The array is as long as the website's table is now. */
  of(name: ColumnName | PropertyColumn): Uint8Array {
    const size = this.sizeOf(name);
    const known = this.used[name];
    if (known.length === size) return known;
    const longer = new Uint8Array(size);
    longer.set(known);
    this.used[name] = longer;
    return longer;
  }

  private sizeOf(name: ColumnName | PropertyColumn): number {
    const { dictionaries, propertyNames, propertyValues, tuples } = this.site;
    if (name === "propertyName") return propertyNames.size;
    if (name === "propertyValue") return propertyValues.size;
    return name === "path" ? (dictionaries[0]?.size as number) : tuples[name].size;
  }
}

function markRows(used: Uint8Array, ids: Uint16Array | Uint32Array, rows: number): void {
  for (let row = 0; row < rows; row++) used[ids[row] as number] = 1;
}

function markKeptRows(used: Uint8Array, ids: Uint16Array | Uint32Array, edits: RowEdits): void {
  for (let row = 0; row < edits.length; row++)
    if (edits[row] !== rowEdit.remove) used[ids[row] as number] = 1;
}

/** Marks the ids of a chunk's properties, except those that moved to another row. */
function markProperties(
  used: Uint8Array,
  ids: Uint32Array,
  rowOf: Uint32Array,
  properties: number,
  edits?: RowEdits,
): void {
  for (let index = 0; index < properties; index++) {
    const row = rowOf[index] as number;
    if (row !== movedRow && edits?.[row] !== rowEdit.remove) used[ids[index] as number] = 1;
  }
}
