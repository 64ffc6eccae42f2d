/** The page views that this program exports, as JSON lines and as CSV: each says all about itself, so nothing is guessed. */
import { visitMax, visitSpanMsMax } from "../../../core/hit.ts";
import { exportFields, type ExportKind } from "../../../core/questions/exported.ts";
import { badInput, Refusal } from "../../../core/refusal.ts";
import { cellsOf, unguarded, withLineEnds } from "../../../lib/texts/csv.ts";
import { jsonObject, jsonValue, type JsonObject } from "../../../lib/texts/json-object.ts";
import { footfallRow, fieldTypes } from "./footfall-row.ts";
import type { Format, Reader, Reading } from "./format.ts";
import { RecentVisits } from "./recent-visits.ts";

/** JsonObject that lines of a kind have, and those of others have not. */
const marks: Readonly<Record<ExportKind, readonly string[]>> = {
  "page-views": ["kind", "time", "path"],
  visits: ["visit", "start", "page_views"],
  events: ["time", "name", "value", "path"],
};

/** Later versions may have more columns than this one. */
const columnsMax = 1_000;

/** The most visits that are known at once. In a longer file with more in half an hour, some would count as two. */
const visitsKnownMax = 200_000;

const shared = { unit: "row", hasEvents: false } as const;

export const exportedJson: Format = {
  ...shared,
  name: "footfall-jsonl",
  description: "an export of Footfall as JSON lines",
  example: '{"kind":"page_view","time":"2026-01-31T12:00:00.000Z","path":"/","referrer":"",…}',
  recognises: (lines) => lines.some((line) => kindOf(Object.keys(jsonObject(line) ?? {})) !== undefined),
  open: ({ propertiesMax }) =>
    new ExportReader(propertiesMax, (line) => jsonObject(line) ?? badLine(line, "a JSON object")),
};

export const exportedCsv: Format = {
  ...shared,
  name: "footfall-csv",
  description: "an export of Footfall as CSV",
  example: exportFields["page-views"].join(",").slice(0, 40) + "…",
  recognises: ([head = ""]) => kindOf(cellsOf(head, columnsMax) ?? []) !== undefined,
  open: ({ propertiesMax }) => {
    let names: readonly string[] | undefined;
    return new ExportReader(propertiesMax, (line) => {
      const cells = cellsOf(line, columnsMax);
      if (names === undefined) {
        const { length } = cells ?? [];
        if (length > columnsMax)
          throw new Refusal(400, `the first line: expected at most ${columnsMax} names, got more`);
        names = cells ?? [];
        return undefined;
      }
      if (cells?.length === names.length) return fieldsOf(names, cells);
      return badLine(line, `${names.length} cells, as in the first line`);
    });
  },
};

class ExportReader implements Reader {
  trouble: string | undefined;
  private isKnown = false;
  private readonly visits = new RecentVisits(visitSpanMsMax, visitsKnownMax);
  /** Files that were begun before numbers were given anew have numbers up to `visitMax` already, which stay theirs. */
  private lastNumber = visitMax;

  /** `parse` returns undefined for a head line. Throws Refusal 400. */
  constructor(
    private readonly propertiesMax: number | undefined,
    private readonly parse: (line: string) => JsonObject | undefined,
  ) {}

  read(line: string): Reading {
    try {
      const fields = this.parse(line);
      if (fields === undefined) return "none";
      if (!this.isKnown) this.expectPageViews(fields);
      this.trouble = undefined;
      const row = footfallRow(fields, this.propertiesMax);
      const visit = this.numberOf(row.exported.visit, row.timeMs);
      return { ...row, exported: { ...row.exported, visit } };
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 400) throw error;
      this.trouble = error.message;
      return "unreadable";
    }
  }

  /**
   * Returns the number of a visit that has a row at this time; 0 for none. They are numbered anew as they come in the file: its
   * numbers may be far from each other, where rows between them were removed or left out, and a question takes a page of
   * memory for each thousand.
   */
  private numberOf(visit: number, timeMs: number): number {
    if (visit === 0) return 0;
    const number = this.visits.goingOn(visit, timeMs) ?? ++this.lastNumber;
    this.visits.note([visit], number, timeMs);
    return number;
  }

  /** Throws Refusal 409 for what is made of page views. */
  private expectPageViews(fields: JsonObject): void {
    const kind = kindOf(Object.keys(fields));
    if (kind === "visits" || kind === "events")
      throw new Refusal(
        409,
        `these are ${kind}, which are made of page views: import what 'footfall export HOST' writes without --of`,
      );
    this.isKnown = kind !== undefined;
  }
}

function kindOf(names: readonly string[]): ExportKind | undefined {
  const kinds = Object.keys(marks) as ExportKind[];
  return kinds.find((kind) => marks[kind].every((name) => names.includes(name)));
}

/** Returns the cells as the values that JSON has. A cell that is no such value stays a text. */
function fieldsOf(names: readonly string[], cells: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name, at) => [name, valueOf(name, unguarded(cells[at] ?? ""))]));
}

function valueOf(name: string, cell: string): unknown {
  const type = fieldTypes[name];
  if (type === undefined) return withLineEnds(cell);
  const value = cell === "" ? null : jsonValue(cell);
  return value === undefined ? cell : value;
}

function badLine(line: string, expected: string): never {
  throw badInput("the line", line, expected);
}
