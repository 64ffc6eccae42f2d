/** Exports as tables: CSV with a header that names the columns, in any order, or an object with these names in each line. */
import { Refusal, shown } from "../../../core/refusal.ts";
import { CsvRows } from "./csv.ts";
import { lineBytesMax, rowBytesMax } from "../lines.ts";
import type { Format, Reader, ReaderContext, Reading } from "./format.ts";
import { jsonObject } from "../../../lib/texts/json-object.ts";

/** Returns the value of a column as text; "" for none and for a column that is not there. */
export type Columns = (name: string) => string;

interface TableFormat extends Pick<
  Format,
  "name" | "description" | "example" | "madeBy" | "hasEvents" | "hasEventValues"
> {
  /** The columns by which it is recognised, and without which it cannot be read. */
  readonly required: readonly string[];
  /** Whether rows may be objects. */
  readonly takesJson: boolean;
  /** Returns a function for one file, which reads a row. */
  open(context: ReaderContext): (columns: Columns) => Reading;
}

export function tableFormat({ required, takesJson, open, ...named }: TableFormat): Format {
  const hasAll = (names: Iterable<string>) => {
    const known = new Set(names);
    return required.every((name) => known.has(name));
  };
  return {
    ...named,
    unit: "row",
    recognises: ([first = "", second = ""]) =>
      hasAll(headerOf(first)) ||
      (takesJson && [first, second].some((line) => hasAll(Object.keys(elementOf(line) ?? {})))),
    open: (context) =>
      new TableReader(
        open(context),
        hasAll,
        named.name,
        required,
        new CsvRows(context.rowCharactersMax ?? rowBytesMax),
      ),
  };
}

/** Returns the names of a header; none for a line of JSON. */
function headerOf(line: string): string[] {
  if (/^\s*[[{]/.test(line)) return [];
  const fields = new CsvRows(lineBytesMax).add(line);
  return Array.isArray(fields) ? fields.map((name: string) => name.trim()) : [];
}

class TableReader implements Reader {
  /** The index of each column; undefined before the header, null where rows are objects. */
  private columns: ReadonlyMap<string, number> | null | undefined;

  constructor(
    private readonly readRow: (columns: Columns) => Reading,
    private readonly hasAll: (names: Iterable<string>) => boolean,
    private readonly name: string,
    private readonly required: readonly string[],
    private readonly rows: CsvRows,
  ) {}

  get isMidway(): boolean {
    return this.rows.isMidway;
  }

  read(line: string): Reading {
    if (this.columns === undefined) return this.begin(line);
    if (this.columns === null) return this.readObject(line);
    if (line === "" && !this.rows.isMidway) return "none";
    const fields = this.rows.add(line);
    if (fields === undefined) return "none";
    if (fields === "unreadable" || fields.length !== this.columns.size) return "unreadable";
    return this.rowOf((name) => {
      const at = (this.columns as ReadonlyMap<string, number>).get(name);
      return at === undefined ? "" : plain(fields[at]!);
    });
  }

  private begin(line: string): Reading {
    const names = headerOf(line);
    if (this.hasAll(names)) {
      const twice = names.find((name, at) => names.indexOf(name) < at);
      // Two tables that were joined whole have both their ids and times.
      if (twice !== undefined)
        throw new Refusal(400, `the first line: expected each column once, got ${shown(twice)} twice`);
      this.columns = new Map(names.map((name, at) => [name, at]));
      return "none";
    }
    // An array may begin on a line of its own.
    if (line.trim() === "[") return "none";
    if (elementOf(line) === undefined)
      throw new Refusal(
        400,
        `the first line is no header of ${this.name}: expected the columns ${this.required.join(", ")}`,
      );
    this.columns = null;
    return this.readObject(line);
  }

  private readObject(line: string): Reading {
    if (/^[\s\],[]*$/.test(line)) return "none";
    const object = elementOf(line);
    if (object === undefined || !this.hasAll(Object.keys(object))) return "unreadable";
    return this.rowOf((name) => {
      const value = object[name];
      if (value === null || value === undefined) return "";
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    });
  }

  /**
   * Returns "unreadable" too for a row with too much JSON in a cell, or lists in lists so deep that the runtime cannot write
   * them as text.
   */
  private rowOf(columns: Columns): Reading {
    try {
      return this.readRow(columns);
    } catch (error) {
      if (error instanceof RangeError) return "unreadable";
      throw error;
    }
  }
}

/** Returns the object of a line, which may be an element of an array that is written over many lines. */
function elementOf(line: string) {
  let end = line.length;
  // A regular expression would look from each blank of the line to the last one after it.
  while (end > 0 && behindElement.test(line[end - 1]!)) end--;
  return jsonObject(line.slice(0, end).replace(/^[\s[]+/, ""));
}

const behindElement = /[\s,\]]/;

/** Some databases write null as a word of their own. */
function plain(value: string): string {
  return value === "\\N" || value === "NULL" ? "" : value;
}
