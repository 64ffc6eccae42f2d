/** Makes the parts of a line from the ids of a row. A part is made once for each id: rows mostly have the same ones. */
import type { ColumnName } from "../../core/questions/dimension.ts";
import { fieldsOf } from "../../core/questions/exported.ts";
import { columnMembers, type TupleColumn } from "../../store/state/site.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { columnsOf } from "../../store/columns/columns.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { overflowId } from "../../store/values/dictionary.ts";
import { textOf } from "../names/value-text.ts";
import type { LineFormat } from "./line-format.ts";
import { pathDictionary } from "../../store/values/dictionaries.ts";

/** A part of a line, and the names of its fields that read `(other)`. */
interface Part {
  readonly text: string;
  readonly others: readonly string[];
}

const fields = columnsOf((column) => fieldsOf(column));
const ofVisit: ReadonlySet<ColumnName> = new Set(["entry", "origin"]);

export class RowTexts {
  private readonly parts = columnsOf(() => new Map<number, Part>());
  private readonly without: Readonly<Record<ColumnName, Part>>;
  /** The names of the fields of the parts since `begin` that read `(other)`. */
  private others: string[] = [];

  constructor(
    private readonly site: ReadSite,
    private readonly format: LineFormat,
  ) {
    this.without = columnsOf((column) => ({ text: format.part(fields[column], []), others: [] }));
  }

  /** Begins another line. `others`: names of its other fields that read `(other)`. */
  begin(others: readonly string[] = []): void {
    if (this.others.length + others.length > 0) this.others = [...others];
  }

  /** Returns the part with the values of some columns; those of a visit are null where there is none. */
  of(chunk: Chunk, row: number, ...columns: readonly ColumnName[]): string {
    return columns.map((column) => this.column(chunk, row, column)).join(",");
  }

  /** Returns the part that names the fields of this line that read `(other)`. */
  get othersPart(): string {
    return this.format.part(["others"], [this.others.join(" ")]);
  }

  /** Returns the value of a row's path, which may be `(other)`, under another name. */
  pathAs(field: string, chunk: Chunk, row: number): string {
    const id = chunk.ids.path.values[row]!;
    const value = textOf(pathDictionary(this.site), id);
    if (id === overflowId) this.others.push(field);
    return this.format.part([field], [value]);
  }

  private column(chunk: Chunk, row: number, column: ColumnName): string {
    const { text, others } =
      ofVisit.has(column) && chunk.visit[row] === 0
        ? this.without[column]
        : this.part(column, chunk.ids[column].values[row]!);
    if (others.length > 0) this.others.push(...others);
    return text;
  }

  private part(column: ColumnName, id: number): Part {
    const known = this.parts[column].get(id);
    if (known !== undefined) return known;
    const ids = column === "path" ? [id] : membersOf(this.site, column, id);
    const values = columnMembers[column].map((dimension, member) =>
      textOf(this.site.dictionaries[dimension]!, ids[member]!),
    );
    const made = {
      text: this.format.part(fields[column], values),
      others: fields[column].filter((_, member) => ids[member] === overflowId),
    };
    this.parts[column].set(id, made);
    return made;
  }
}

function membersOf(site: ReadSite, column: TupleColumn, id: number): number[] {
  return site.tuples[column].members.map((ids) => ids[id]!);
}
