/** Reads the rows of CSV as RFC 4180 has it, line by line: a quoted field may go on in the next line. */
import { ownText } from "../../../lib/texts/own-text.ts";
import { lineBytesMax } from "../lines.ts";

const quote = 0x22;
/** No table has as many columns. */
const fieldsMax = 1_000;
/** Fields of a longer row get memory of their own: some are kept for long, and would keep the row. */
const keptRowCharactersMax = 1_024;

export class CsvRows {
  /** The lines of the row that goes on. */
  private begun: string[] = [];
  private begunCharacters = 0;

  /** Whether a row was begun that has not ended. */
  get isMidway(): boolean {
    return this.begun.length > 0;
  }

  /**
   * Returns the fields of the row that ends with this line; undefined if it goes on; "unreadable" if it never ends, or has
   * more than a thousand.
   */
  add(line: string): readonly string[] | undefined | "unreadable" {
    const { begun } = this;
    // Every field that begins with a quote ends with one: a row goes on until the line in which their number is even again.
    if (hasEvenQuotes(line) !== begun.length > 0) {
      this.begun = [];
      this.begunCharacters = 0;
      const row = begun.length === 0 ? line : [...begun, line].join("\n");
      const fields = fieldsOf(row);
      if (fields.length > fieldsMax) return "unreadable";
      return row.length <= keptRowCharactersMax ? fields : fields.map(ownText);
    }
    begun.push(line);
    this.begunCharacters += line.length + 1;
    if (this.begunCharacters <= lineBytesMax + 1) return undefined;
    // A quote that nobody closes would take the rest of the file.
    this.begun = [];
    this.begunCharacters = 0;
    return "unreadable";
  }
}

function hasEvenQuotes(line: string): boolean {
  let quotes = 0;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** Returns the fields of a row, or the first ones where they are more than `fieldsMax`. */
function fieldsOf(text: string): readonly string[] {
  if (!text.includes('"')) return text.split(",", fieldsMax + 1);
  const fields: string[] = [];
  for (let at = 0; at <= text.length && fields.length <= fieldsMax; at++) {
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
