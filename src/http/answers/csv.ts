/** Comma-separated values as defined in RFC 4180: the form in which statistics come to whoever accepts nothing else. */

import { csvCell, csvText } from "../../lib/csv.ts";

/** The media type by which a request asks for it. */
export const csvMedia = "text/csv";

/** Returns whether a request accepts CSV before anything else. */
export function acceptsCsv({ headers }: Request): boolean {
  const [first = ""] = (headers.get("accept") ?? "").split(/[,;]/);
  return first.trim().toLowerCase() === csvMedia;
}

/** An answer that is CSV. */
export class CsvText {
  constructor(readonly text: string) {}
}

export type CsvRow = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the rows as CSV. The head line lists the fields of all rows in the order of their first appearance, or `head` if
 * there are no rows.
 */
export function csv(rows: readonly CsvRow[], head: readonly string[] = []): string {
  const fields = rows.length === 0 ? head : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field]))];
  return lines.map((cells) => cells.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Returns an answer about statistics as CSV: its rows if it is or has a list, else its figures as one row. `head`: as of `csv`. */
export function csvOf(answer: unknown, head?: readonly string[]): string {
  const { current, previous, interval, pages, drivers } = answer as Answered;
  const rows = Array.isArray(answer) ? (answer as Nested[]) : (interval ?? pages ?? drivers);
  return csv((rows ?? [{ ...current, previous }]).map(flat), head);
}

type Nested = Readonly<Record<string, unknown>>;
/** The answers that are no list, with the lists that they may have. */
interface Answered {
  readonly current?: Nested;
  readonly previous?: Nested;
  readonly interval?: readonly Nested[];
  readonly pages?: readonly Nested[];
  readonly drivers?: readonly Nested[];
}

/** Returns a row with the figures of the other period in fields of their own, such as previous_visitors. */
function flat({ previous, ...row }: Nested): CsvRow {
  const before = Object.entries(previous ?? {}).map(([name, value]) => [`previous_${name}`, value] as const);
  const cells = [...Object.entries(row), ...before].map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(cells) as CsvRow;
}

/** Returns one cell. A text that a spreadsheet would run as a formula is guarded. */
function cell(value: CsvRow[string]): string {
  return typeof value === "string" ? csvText(value) : csvCell(String(value ?? ""));
}
