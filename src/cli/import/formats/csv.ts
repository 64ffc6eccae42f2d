/** Reads the rows of CSV as RFC 4180 has it, line by line: a quoted field may go on in the next line. */
import { readCells } from "../../../lib/texts/csv.ts";
import { ownText } from "../../../lib/texts/own-text.ts";

/** No table has as many columns. */
const fieldsMax = 1_000;
/** Fields of a longer row get memory of their own: some are kept for long, and would keep the row. */
const keptRowCharactersMax = 1_024;

export class CsvRows {
  /** The lines of the row that goes on. */
  private begun: string[] = [];
  private begunCharacters = 0;

  /** A row of several lines has at most so many characters. */
  constructor(private readonly charactersMax: number) {}

  /** Whether a row was begun that has not ended. */
  get isMidway(): boolean {
    return this.begun.length > 0;
  }

  /**
   * Returns the fields of the row that ends with this line; undefined if it goes on; "unreadable" if it never ends, its quotes
   * are not where they may be, or it has more than a thousand.
   */
  add(line: string): readonly string[] | undefined | "unreadable" {
    const { begun } = this;
    // A quote that nobody closes would take the rows after it, whose own quotes show that they are none of its cell.
    if (begun.length > 0 && !mayContinue(line)) return this.giveUp();
    // Every field that begins with a quote ends with one: a row goes on until the line in which their number is even again.
    if (hasEvenQuotes(line) !== begun.length > 0) {
      this.forget();
      const row = begun.length === 0 ? line : [...begun, line].join("\n");
      const { cells: fields } = readCells(row, fieldsMax);
      if (fields.length > fieldsMax) return "unreadable";
      return row.length <= keptRowCharactersMax ? fields : fields.map(ownText);
    }
    begun.push(line);
    this.begunCharacters += line.length + 1;
    return this.begunCharacters <= this.charactersMax + 1 ? undefined : this.giveUp();
  }

  private giveUp(): "unreadable" {
    this.forget();
    return "unreadable";
  }

  private forget(): void {
    this.begun = [];
    this.begunCharacters = 0;
  }
}

function hasEvenQuotes(line: string): boolean {
  let quotes = 0;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 0;
}

/** Whether a line may continue a quoted field: the quote that ends it stands before a comma, or is the last of the line. */
function mayContinue(line: string): boolean {
  let at = line.indexOf('"');
  // Two of them are one of the field.
  while (at >= 0 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at < 0 || at === line.length - 1 || line[at + 1] === ",";
}
