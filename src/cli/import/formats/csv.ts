/** Reads the rows of CSV as RFC 4180 has it, line by line: a quoted field may go on in the next line. */
import { lineBytesMax } from "../lines.ts";

const quote = 0x22;

export class CsvRows {
  private begun: string | undefined;

  /** Whether a row was begun that has not ended. */
  get isMidway(): boolean {
    return this.begun !== undefined;
  }

  /** Returns the fields of the row that ends with this line; undefined if it goes on; "unreadable" if it never ends. */
  add(line: string): readonly string[] | undefined | "unreadable" {
    const text = this.begun === undefined ? line : `${this.begun}\n${line}`;
    this.begun = undefined;
    if (isWhole(text)) return fieldsOf(text);
    // A quote that nobody closes would take the rest of the file.
    if (text.length > lineBytesMax) return "unreadable";
    this.begun = text;
    return undefined;
  }
}

/** Every field that begins with a quote ends with one: their number is even. */
function isWhole(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

function fieldsOf(text: string): readonly string[] {
  if (!text.includes('"')) return text.split(",");
  const fields: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    const isQuoted = text.charCodeAt(at) === quote;
    const end = isQuoted ? endOfQuoted(text, at) : text.length;
    const comma = text.indexOf(",", isQuoted ? end : at);
    const stop = comma < 0 ? text.length : comma;
    fields.push(isQuoted ? text.slice(at + 1, end).replaceAll('""', '"') : text.slice(at, stop));
    at = stop;
  }
  return fields;
}

/** Returns the index of the quote that ends the field which begins at `start`. */
function endOfQuoted(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at >= 0 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2);
  return at < 0 ? text.length : at;
}
