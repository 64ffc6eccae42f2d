/**
 * Cells of comma-separated values as RFC 4180 has them. Strangers choose paths and referrers, and spreadsheets run what
 * looks like a formula: such a text gets an apostrophe, which reading it takes off again.
 */

/** The signs with which a formula begins. */
const sign = /[=+\-@\uff1d\uff0b\uff0d\uff20]/g;
/**
 * Stands between a place at which a cell may begin and the sign: apostrophes as well, so that each text has its own
 * guarded form.
 */
const blank = /[\s']/;
const lineSign = /[\t\r\n]/;
/** Most texts have neither a formula nor a guard. */
const mayBegin = /^[\s'=+\-@\uff1d\uff0b\uff0d\uff20]|[;\t\r\n]/;
const beginsWithLineSign = /^'*[\t\r\n]/;

/** Returns the cell of a text. */
export function csvText(text: string): string {
  return csvCell(guarded(text));
}

/** Returns the text of a cell that `csvText` made. */
export function unguarded(text: string): string {
  if (!text.includes("'") || !mayBegin.test(text)) return text;
  const places = placesOf(text, (at, end) => at < end && text[at] === "'");
  if (places[0] !== 0 && text.startsWith("'") && beginsWithLineSign.test(text)) places.unshift(0);
  return spliced(text, places, 1, "");
}

function guarded(text: string): string {
  if (!mayBegin.test(text)) return text;
  const places = placesOf(text, () => true);
  if (places[0] !== 0 && beginsWithLineSign.test(text)) places.unshift(0);
  return spliced(text, places, 0, "'");
}

/**
 * Returns, before each sign, the first place that passes `isOne` at which a spreadsheet would see a formula begin: at the
 * start, or behind what separates cells in other countries. `isOne` gets the place and that of the sign. The time is that of
 * the text's length: strangers choose it, and a regular expression that looked ahead took seconds for a list of line feeds.
 */
function placesOf(text: string, isOne: (at: number, end: number) => boolean): number[] {
  const found: number[] = [];
  for (const { index: end } of text.matchAll(sign)) {
    let start = end;
    while (start > 0 && blank.test(text[start - 1]!)) start--;
    const isFirst = start === 0 || text[start - 1] === ";";
    if (isFirst && isOne(start, end)) found.push(start);
    else
      for (let at = start; at < end; at++)
        if (lineSign.test(text[at]!) && isOne(at + 1, end)) {
          found.push(at + 1);
          break;
        }
  }
  return found;
}

/** Returns the text with `added` in the place of so many characters at each of the places, which rise. */
function spliced(text: string, places: readonly number[], removed: number, added: string): string {
  if (places.length === 0) return text;
  const starts = [0, ...places.map((at) => at + removed)];
  return starts.map((start, part) => text.slice(start, places[part] ?? text.length)).join(added);
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
