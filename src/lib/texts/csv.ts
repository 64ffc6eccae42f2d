/**
 * Cells of comma-separated values as RFC 4180 has them. Strangers choose paths and referrers, and spreadsheets run what
 * looks like a formula: such a text gets an apostrophe, which reading it takes off again. Each sign of a text is looked at
 * once: strangers choose the signs, too.
 */
import { once } from "../lazy.ts";

/** Most texts have neither a formula nor a guard. */
const mayBegin = /^[\s'=+\-@\uff1d\uff0b\uff0d\uff20]|[;\t\r\n]/;
const beginsWithLineSign = /^'*[\t\r\n]/;

const formula = /[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** The kinds of signs, by what they do where a spreadsheet may see a formula begin. */
const kinds = { other: 0, formula: 1, separator: 2, lineSign: 3, blank: 4 } as const;
/**
 * The kind of each UTF-16 unit. A blank stands between a place at which a cell may begin and the formula: apostrophes as well,
 * so that each text has its own guarded form.
 */
const kindOf = once(() => {
  const all = new Uint8Array(2 ** 16);
  const set = (signs: string, kind: number) => {
    for (let at = 0; at < signs.length; at++) all[signs.charCodeAt(at)] = kind;
  };
  set("=+-@\uff1d\uff0b\uff0d\uff20", kinds.formula);
  set(";", kinds.separator);
  set("\t\r\n", kinds.lineSign);
  // These and the three before are \s.
  set("'\v\f \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", kinds.blank);
  set("\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", kinds.blank);
  return all;
});

/** Returns the cell of a text. */
export function csvText(text: string): string {
  return csvCell(guarded(text));
}

/** Returns the text of a cell that `csvText` made. */
export function unguarded(text: string): string {
  if (!text.includes("'") || !mayBegin.test(text)) return text;
  const places = placesOf(text, true);
  if (places[0] !== 0 && text.startsWith("'") && beginsWithLineSign.test(text)) places.unshift(0);
  return spliced(text, places, 1, "");
}

function guarded(text: string): string {
  if (!mayBegin.test(text)) return text;
  const places = placesOf(text, false);
  if (places[0] !== 0 && beginsWithLineSign.test(text)) places.unshift(0);
  return spliced(text, places, 0, "'");
}

/**
 * Returns, before each formula, the first place at which a spreadsheet would see it begin: at the start, or behind what
 * separates cells in other countries. `isGuarded`: only places that have an apostrophe.
 */
function placesOf(text: string, isGuarded: boolean): number[] {
  const found: number[] = [];
  if (!formula.test(text)) return found;
  const kindOfUnit = kindOf();
  const placeAt = (at: number) => (isGuarded && text.charCodeAt(at) !== 39 ? -1 : at);
  // The place behind which there were only blanks so far; -1 for none.
  let place = placeAt(0);
  for (let at = 0; at < text.length; at++) {
    const kind = kindOfUnit[text.charCodeAt(at)];
    if (kind === kinds.blank) continue;
    if (kind === kinds.separator) place = placeAt(at + 1);
    else if (kind === kinds.lineSign) {
      if (place < 0) place = placeAt(at + 1);
    } else {
      if (kind === kinds.formula && place >= 0) found.push(place);
      place = -1;
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

const quote = 0x22;

/** Returns the cells of a record, or the first ones where they are more than `most`; undefined for what is none. */
export function cellsOf(record: string, most: number): string[] | undefined {
  const { cells, isRecord } = readCells(record, most);
  return isRecord ? cells : undefined;
}

/**
 * Reads the cells of a text, or the first ones where they are more than `most`, at most 2 ** 32 - 2. `isRecord`: RFC 4180
 * allows it. In a text that it does not allow, a quote within a cell stands for itself, nothing counts between the quote that
 * ends a cell and the next comma, and the last cell needs no such quote.
 */
export function readCells(text: string, most: number): { cells: string[]; isRecord: boolean } {
  if (!text.includes('"')) return { cells: text.split(",", most + 1), isRecord: true };
  const cells: string[] = [];
  let isRecord = true;
  for (let at = 0; at <= text.length && cells.length <= most; at++) {
    const isQuoted = text.charCodeAt(at) === quote;
    const end = isQuoted ? endOfQuoted(text, at) : at;
    const comma = text.indexOf(",", end);
    const stop = comma < 0 ? text.length : comma;
    const cell = isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, stop);
    cells.push(cell);
    isRecord &&= isQuoted ? end + 1 === stop : !cell.includes('"');
    at = stop;
  }
  return { cells, isRecord };
}

/** Returns the index of the quote that ends the cell which begins at `start`, or of the end of the text if none does. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2);
  return at < 0 ? text.length : at;
}
