/** Comma-separated values as defined in RFC 4180. */

export type CsvRow = Readonly<Record<string, string | number | boolean | undefined>>;

/** Returns the rows as CSV. The head line lists the fields of all rows in the order of their first appearance. */
export function csv(rows: readonly CsvRow[]): string {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field]))];
  return lines.map((cells) => cells.map(cell).join(",")).join("\r\n") + "\r\n";
}

/**
 * Returns one cell. A text that a spreadsheet would run as a formula gets an apostrophe, because strangers choose paths
 * and referrers.
 */
function cell(value: CsvRow[string]): string {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
