/**
 * Answers about statistics as comma-separated values, as RFC 4180 defines them. A long one takes as long as its JSON, so it
 * is made where the question is answered, and not on the thread that takes hits.
 */
import { csvText } from "../../lib/texts/csv.ts";

export type CsvRow = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Returns the rows as CSV. The head line lists the fields of all rows in the order of their first appearance, or `head` if
 * there are no rows.
 */
export function csv(rows: readonly CsvRow[], head: readonly string[] = []): string {
  const fields = rows.length === 0 ? head : fieldsOf(rows);
  const lines = [fields.map(cell).join(",")];
  for (const row of rows) lines.push(fields.map((field) => cell(row[field])).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function fieldsOf(rows: readonly CsvRow[]): readonly string[] {
  const fields = new Set<string>();
  for (const row of rows) for (const name in row) if (row[name] !== undefined) fields.add(name);
  return [...fields];
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
function flat(nested: Nested): CsvRow {
  if (isFlat(nested)) return nested;
  const { previous, ...row } = nested;
  const before = Object.entries(previous ?? {}).map(([name, value]) => [`previous_${name}`, value] as const);
  const cells = [...Object.entries(row), ...before].map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : value,
  ]);
  return Object.fromEntries(cells) as CsvRow;
}

function isFlat(row: Nested): row is CsvRow {
  for (const name in row) if (typeof row[name] === "object" || name === "previous") return false;
  return true;
}

/** Returns one cell. A text that a spreadsheet would run as a formula is guarded. */
function cell(value: CsvRow[string]): string {
  return typeof value === "string" ? csvText(value) : String(value ?? "");
}
