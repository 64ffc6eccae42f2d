/**
 * Counts the rows that a removal takes, and lists the stored values that select exactly them: by each name that is
 * filtered by, those values of the removed rows that pass. A row that stays fails some filter, so it has none of the
 * values by that name.
 */
import type { ColumnName } from "../../../core/questions/dimension.ts";
import { columnOf, dimensionIndex, type StoredFilterName } from "../../../core/questions/stored-dimension.ts";
import type { RecordOf } from "../../../record/record.ts";
import type { Chunk } from "../../chunks/chunk.ts";
import { rowEdit, type RowEdits } from "../../columns/row-edits.ts";
import { emptyRowFlags, rowFlag } from "../../columns/row-flag.ts";
import { overflowId } from "../../values/dictionary.ts";
import type { Removal } from "./removal.ts";
import { dictionaryOf, type RowFilter } from "./row-filter.ts";
import { columnMembers, type Site, type TupleColumn } from "../site.ts";

export interface RemovedCounts {
  readonly pageviews: number;
  /** How many visitors fewer there are: first page views of a visitor, without those that move to another. */
  readonly visitors: number;
  /** How many properties go, of page views and of events without one. */
  readonly events: number;
}

type Having = RecordOf<"rowsRemoved">["having"];

export class RemovedValues {
  private pageviews = 0;
  private unique = 0;
  private events = 0;
  /** By column: marks of the ids that removed rows have. */
  private readonly ids = new Map<ColumnName, Uint8Array>();
  private readonly propertyNames = new Set<number>();
  private readonly propertyValues = new Set<number>();

  constructor(
    private readonly site: Site,
    private readonly filter: RowFilter,
  ) {
    for (const name of filter.values.keys()) {
      const column = columnOf(name);
      if (column !== undefined) this.ids.set(column, new Uint8Array(filter.sizeOf(column)));
    }
  }

  /** Notes the removed rows of a chunk. */
  add(chunk: Chunk, edits: RowEdits): void {
    const { flags, propertyName, propertyValue, propertyRow } = chunk;
    for (let row = 0; row < edits.length; row++) {
      if (edits[row] !== rowEdit.remove) continue;
      const own = flags[row]!;
      if (own & rowFlag.bare) continue;
      this.pageviews++;
      this.unique += own & rowFlag.unique;
    }
    for (const [column, found] of this.ids) {
      const { values } = chunk.ids[column];
      for (let row = 0; row < edits.length; row++)
        if (edits[row] === rowEdit.remove && flags[row] !== emptyRowFlags) found[values[row]!] = 1;
    }
    for (let index = 0; index < chunk.properties; index++) {
      if (edits[propertyRow[index]!] !== rowEdit.remove) continue;
      this.events++;
      const [name, value] = [propertyName[index]!, propertyValue[index]!];
      if (!this.filter.hasProperties || !this.filter.selectsProperty(name, value)) continue;
      this.propertyNames.add(name);
      this.propertyValues.add(value);
    }
  }

  counts(removal: Removal): RemovedCounts {
    const { pageviews, unique, events } = this;
    return { pageviews, visitors: unique - removal.movedVisitors, events };
  }

  /** Returns the values by each name that is filtered by. */
  get having(): Having {
    return this.filter.values
      .keys()
      .toArray()
      .map((name) => {
        const dictionary = dictionaryOf(this.site, name);
        const ids = [...new Set(this.idsOf(name))].sort((a, b) => a - b);
        return { name, values: ids.map((id) => (id === overflowId ? null : dictionary.value(id))) };
      });
  }

  private idsOf(name: StoredFilterName): Iterable<number> {
    if (name === "prop_name") return this.propertyNames;
    if (name === "prop_value") return this.propertyValues;
    const column = columnOf(name) as ColumnName;
    const marks = this.ids.get(column) as Uint8Array;
    const own = Array.from(marks.keys()).filter((id) => marks[id] === 1);
    if (column === "path") return own;
    const member = columnMembers[column].indexOf(dimensionIndex[name]);
    const members = this.site.tuples[column as TupleColumn].members[member]!;
    return own.map((tuple) => members[tuple]!);
  }
}
