/**
 * The two formats of an export: JSON lines, and CSV with a head line. A line is made of parts of one or more fields. A record
 * of CSV is one line too, whatever its values are: programs that know lines only can sort, select and split it.
 */
import type { ExportFormat } from "../../core/questions/exported.ts";
import { csvCell, csvText, onOneLine } from "../../lib/texts/csv.ts";

export interface LineFormat {
  /** Returns the first line, which names the fields; "" for none. */
  head(fields: readonly string[]): string;
  /** Returns a part of a line: texts, numbers, true or false, lists, and null, or nothing, for what is not there. */
  part(fields: readonly string[], values: readonly unknown[]): string;
  /** Returns a line of its parts, which are separated by commas. */
  line(parts: string): string;
}

export const lineFormats: Readonly<Record<ExportFormat, LineFormat>> = {
  jsonl: {
    head: () => "",
    part: (fields, values) =>
      fields.map((field, at) => `"${field}":${JSON.stringify(values[at] ?? null)}`).join(","),
    line: (parts) => `{${parts}}\n`,
  },
  csv: {
    head: (fields) => `${fields.join(",")}\r\n`,
    part: (fields, values) => fields.map((_, at) => cell(values[at] ?? null)).join(","),
    line: (parts) => `${parts}\r\n`,
  },
};

function cell(value: unknown): string {
  if (value === null) return "";
  if (typeof value === "number" || typeof value === "boolean") return csvCell(String(value));
  return csvText(typeof value === "string" ? onOneLine(value) : JSON.stringify(value));
}
