/** How often each name of a website is used by its rows, and when it was used last: read from the rows, a chunk a step. */
import { columnNames, type ColumnName } from "../../core/questions/dimension.ts";
import { storedDimensions } from "../../core/questions/stored-dimension.ts";
import { pathDictionary } from "../values/dictionaries.ts";
import type { Chunk } from "../chunks/chunk.ts";
import { columnsOf, movedRow } from "../columns/columns.ts";
import { monthEndMs } from "../chunks/month.ts";
import type { ReducedMonth, UsesOfMonth } from "./reduced-month.ts";
import { columnMembers, type Site } from "./site.ts";

/** By id: how many rows or properties have it, and the time of the latest of them, milliseconds since 1970. */
export interface Uses {
  readonly counts: Uint32Array;
  readonly lastMs: Float64Array;
}

export class NameUses {
  private readonly columns: Readonly<Record<ColumnName, Uses>>;
  private readonly propertyNames: Uses;
  private readonly propertyValues: Uses;
  /** By dimension: the uses of months without rows. */
  private readonly ofMonths = new Map<string, Uses>();

  /** Names that come after this are not counted. */
  constructor(private readonly site: Site) {
    const path = pathDictionary(site).size;
    this.columns = columnsOf((name) => noUses(name === "path" ? path : site.tuples[name].size));
    this.propertyNames = noUses(site.propertyNames.size);
    this.propertyValues = noUses(site.propertyValues.size);
  }

  /** Counts a chunk. Throws what its columns throw. */
  add(chunk: Chunk): void {
    for (const name of columnNames) addRows(this.columns[name], chunk.ids[name].values, chunk);
    addProperties(this.propertyNames, chunk.propertyName, chunk);
    addProperties(this.propertyValues, chunk.propertyValue, chunk);
  }

  /** Counts a month without rows. Throws what reading it throws. */
  addMonth(month: ReducedMonth): void {
    const endMs = monthEndMs(month.monthMs) - 1;
    storedDimensions.forEach(({ name, column }, dimension) => {
      const { size } = this.site.dictionaries[dimension]!;
      const uses =
        column === "path" ? this.columns.path : this.ofMonths.getOrInsertComputed(name, () => noUses(size));
      addUses(uses, month.uses({ dimension }), endMs);
    });
    addUses(this.propertyNames, month.uses({ property: "names" }), endMs);
  }

  /** Returns the uses by kind, as `dictionariesByKind` names them. */
  byKind(): ReadonlyMap<string, Uses> {
    const uses = new Map<string, Uses>([
      ["property.name", this.propertyNames],
      ["property.value", this.propertyValues],
      ["path", this.columns.path],
    ]);
    for (const column of columnNames)
      if (column !== "path")
        columnMembers[column].forEach((dimension, member) => {
          const size = this.site.dictionaries[dimension]!.size;
          const ids = this.site.tuples[column].members[member]!;
          const name = storedDimensions[dimension]!.name;
          const own = usesOfMember(this.columns[column], ids, size);
          const { counts, lastMs } = this.ofMonths.get(name) ?? noUses(0);
          counts.forEach((count, id) => addUse(own, id, count, lastMs[id]!));
          uses.set(name, own);
        });
    return uses;
  }
}

function noUses(size: number): Uses {
  return { counts: new Uint32Array(size), lastMs: new Float64Array(size) };
}

function addUses(uses: Uses, { ids, counts }: UsesOfMonth, endMs: number): void {
  for (let at = 0; at < ids.length; at++) addUse(uses, ids[at]!, counts[at]!, endMs);
}

function addUse({ counts, lastMs }: Uses, id: number, count: number, ms: number): void {
  if (id >= counts.length || count === 0) return;
  counts[id]! += count;
  lastMs[id] = Math.max(lastMs[id]!, ms);
}

function addRows({ counts, lastMs }: Uses, ids: Uint16Array | Uint32Array, chunk: Chunk): void {
  const { time, monthMs, rows } = chunk;
  for (let row = 0; row < rows; row++) {
    const id = ids[row]!;
    if (id >= counts.length) continue;
    counts[id]!++;
    lastMs[id] = Math.max(lastMs[id]!, monthMs + time[row]!);
  }
}

function addProperties({ counts, lastMs }: Uses, ids: Uint32Array, chunk: Chunk): void {
  const { propertyRow, properties } = chunk;
  for (let index = 0; index < properties; index++) {
    const id = ids[index]!;
    if (propertyRow[index] === movedRow || id >= counts.length) continue;
    counts[id]!++;
    lastMs[id] = Math.max(lastMs[id]!, chunk.propertyTimeMs(index));
  }
}

/** Returns the uses of the values of one member, from those of the tuples. */
function usesOfMember({ counts, lastMs }: Uses, ids: Uint32Array, size: number): Uses {
  const uses = noUses(size);
  for (let tuple = 1; tuple < counts.length; tuple++) {
    const id = ids[tuple]!;
    uses.counts[id]! += counts[tuple]!;
    uses.lastMs[id] = Math.max(uses.lastMs[id]!, lastMs[tuple]!);
  }
  return uses;
}
