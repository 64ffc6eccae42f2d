/** Marks the ids of a website that some of its chunks use: arrays by id, 1 for an id that is used. */
import { columnNames, type ColumnName } from "../../../core/questions/dimension.ts";
import { storedDimensions } from "../../../core/questions/stored-dimension.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import { columnsOf, movedRow } from "../../columns/columns.ts";
import { rowEdit, type RowEdits } from "../../columns/row-edits.ts";
import { overflowId, type Dictionary } from "../../values/dictionary.ts";
import type { ReducedMonth } from "../reduced-month.ts";
import { columnMembers, type Site } from "../site.ts";
import { pathDictionary } from "../../values/dictionaries.ts";

type PropertyColumn = "propertyName" | "propertyValue";

export class UsedIds {
  private readonly added = new WeakSet<Chunk | ReducedMonth>();
  private readonly used: Record<ColumnName | PropertyColumn, Uint8Array> = {
    ...columnsOf(() => new Uint8Array(0)),
    propertyName: new Uint8Array(0),
    propertyValue: new Uint8Array(0),
  };

  /** By dimension: values that months without rows use. */
  private readonly usedByMonths = new Map<number, Uint8Array>();

  constructor(private readonly site: Site) {}

  /** Marks the ids of a month without rows, unless it was added before. Throws what reading it throws. */
  addMonth(month: ReducedMonth): void {
    if (this.added.has(month)) return;
    this.added.add(month);
    for (const column of columnNames) {
      if (column !== "path") mark(this.of(column), month.uses({ column }).ids);
      for (const dimension of columnMembers[column])
        mark(column === "path" ? this.of(column) : this.marksOf(dimension), month.uses({ dimension }).ids);
    }
    mark(this.of("propertyName"), month.uses({ property: "names" }).ids);
  }

  /**
   * Returns the marks for the values of a dimension: those of months without rows, and of the tuples that are used. The overflow,
   * which always stays, may be unmarked.
   */
  ofValues(dimension: number): Uint8Array {
    const column = (storedDimensions[dimension] as (typeof storedDimensions)[number]).column;
    if (column === "path") return this.of(column);
    const { members, size } = this.site.tuples[column];
    const ids = members[columnMembers[column].indexOf(dimension)]!;
    const tuples = this.of(column);
    const marks = new Uint8Array(this.site.dictionaries[dimension]!.size);
    marks.set(this.usedByMonths.get(dimension) ?? []);
    // Mostly the first thousands of tuples have all values, whatever the others have.
    let unmarked = marks.subarray(1).reduce((left, mark) => left - mark, marks.length - 1);
    for (let tuple = 0; tuple < size && unmarked > 0; tuple++) {
      const id = ids[tuple]!;
      if (!tuples[tuple] || marks[id] !== 0) continue;
      marks[id] = 1;
      if (id !== overflowId) unmarked--;
    }
    return marks;
  }

  /** Returns how many percent of the bytes of all names are of names that are not marked. */
  deadPercent(): number {
    const { dictionaries, propertyNames, propertyValues } = this.site;
    let [bytes, used] = [0, 0];
    const add = (dictionary: Dictionary, marks: Uint8Array) => {
      bytes += dictionary.bytes;
      used += dictionary.bytesOf(marks);
    };
    dictionaries.forEach((dictionary, dimension) => add(dictionary, this.ofValues(dimension)));
    add(propertyNames, this.of("propertyName"));
    add(propertyValues, this.of("propertyValue"));
    return bytes === 0 ? 0 : (100 * (bytes - used)) / bytes;
  }

  private marksOf(dimension: number): Uint8Array {
    const { size } = this.site.dictionaries[dimension]!;
    return this.usedByMonths.getOrInsertComputed(dimension, () => new Uint8Array(size));
  }

  /** Does what `addInSteps` does at once. */
  add(chunk: Chunk, edits?: RowEdits): void {
    const steps = this.addInSteps(chunk, edits);
    while (!steps.next().done);
  }

  /**
   * Marks the ids of a chunk, without those of removed rows, unless it is sealed and was added before: a column in each step,
   * because one of a million rows takes ten milliseconds where a website has millions of tuples. Throws what reading its
   * columns throws.
   */
  *addInSteps(chunk: Chunk, edits?: RowEdits): Generator<void, void> {
    if (this.added.has(chunk)) return;
    const { ids, rows, propertyRow, properties } = chunk;
    for (const name of columnNames) {
      if (edits === undefined) markRows(this.of(name), ids[name].values, rows);
      else markKeptRows(this.of(name), ids[name].values, edits);
      yield;
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
    const { propertyNames, propertyValues, tuples } = this.site;
    if (name === "propertyName") return propertyNames.size;
    if (name === "propertyValue") return propertyValues.size;
    return name === "path" ? pathDictionary(this.site).size : tuples[name].size;
  }
}

function mark(used: Uint8Array, ids: Uint32Array): void {
  for (const id of ids) used[id] = 1;
}

function markRows(used: Uint8Array, ids: Uint16Array | Uint32Array, rows: number): void {
  for (let row = 0; row < rows; row++) used[ids[row]!] = 1;
}

function markKeptRows(used: Uint8Array, ids: Uint16Array | Uint32Array, edits: RowEdits): void {
  for (let row = 0; row < edits.length; row++) if (edits[row] !== rowEdit.remove) used[ids[row]!] = 1;
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
    const row = rowOf[index]!;
    if (row !== movedRow && edits?.[row] !== rowEdit.remove) used[ids[index]!] = 1;
  }
}
