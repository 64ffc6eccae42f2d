/**
 * Cells of comma-separated values as RFC 4180 has them. Strangers choose paths and referrers, and spreadsheets run what
 * looks like a formula: such a text gets an apostrophe, which reading it takes off again.
 */

/**
 * The places at which a spreadsheet would see a formula: the beginning, and behind what separates cells in other countries.
 * Apostrophes before the sign count as well, so that each text has its own guarded form.
 */
const formula = /(^|[;\t\r\n])([\s']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?='*[\t\r\n])/g;
const guardedFormula = /(^|[;\t\r\n])'([\s']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])|^'(?='*[\t\r\n])/g;

/** Returns the cell of a text. */
export function csvText(text: string): string {
  return csvCell(text.replace(formula, "$1'$2"));
}

/** Returns the text of a cell that `csvText` made. */
export function unguarded(text: string): string {
  return text.includes("'") ? text.replace(guardedFormula, "$1$2") : text;
}

/** Returns a cell, in quotes where it needs them. */
export function csvCell(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns the text without line ends, so that a record is one line: they are written \\n and \\r, a backslash \\\\. */
export function onOneLine(text: string): string {
  if (!/[\\\r\n]/.test(text)) return text;
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

/** Returns the text that `onOneLine` was given. */
export function withLineEnds(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(.)/gs, (_, sign: string) => (sign === "n" ? "\n" : sign === "r" ? "\r" : sign));
}

const nextCell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

/** Returns the cells of a record on one line; undefined for what is none. */
export function cellsOf(line: string): string[] | undefined {
  const cells: string[] = [];
  nextCell.lastIndex = 0;
  for (;;) {
    const match = nextCell.exec(line);
    if (match === null) return undefined;
    const [, quoted, plain = "", end] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "") return cells;
  }
}
