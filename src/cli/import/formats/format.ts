/**
 * The part of an import that a format decides: how it is recognised, and how its lines become rows. A format knows its own product
 * only; which rows are taken, who is new on a day and what a visit is, the import decides for all of them alike.
 *
 * To add one: a file here with a `Format`, and its line in formats.ts.
 */
import type { Collector } from "../../../collect/fact.ts";
import type { DimensionValues } from "../../../core/questions/stored-dimension.ts";
import type { Rules } from "../../../core/website/rules.ts";
import type { PastLoad, PastProperties } from "../../../record/record.ts";
import type { LeftOut } from "../report/report.ts";

export interface Format {
  /** The word for `--format`. */
  readonly name: string;
  /** A noun phrase for messages, such as "an access log in the combined format". */
  readonly description: string;
  /** Its first line, or a line of it, as somebody would recognise it. */
  readonly example: string;
  /** The command that makes the file, for a product that has no button for it. */
  readonly madeBy?: string;
  /**
   * The word for what one line holds: a line of a log, which may still grow, or a row of an export, which is written once: its
   * last line is complete without a line feed.
   */
  readonly unit: "line" | "row";
  /** Whether events come in rows of their own, which look for the page views of their visits. */
  readonly hasEvents: boolean;
  /** Whether the properties of an event are its name and, beside it, values of which the report says how many. */
  readonly hasEventValues?: true;
  /** Whether these are the first lines of such a file. It is asked in the order of the table; the first that says yes reads. */
  recognises(lines: readonly string[]): boolean;
  /** Returns the time of a line, whether its row is taken or not; where it is missing, the rows tell. */
  timeOf?(line: string): number | undefined;
  /** Returns a reader for one file, which sees every line from the first on. Throws Refusal for a header it cannot use. */
  open(context: ReaderContext): Reader;
}

export interface ReaderContext {
  readonly collector: Collector;
  /** The website's hostname as it is registered. */
  readonly hostname: string;
  /** Who counts on the website, for formats that have what rules look at; without it, nobody is blocked. */
  readonly rules?: Rules | undefined;
  /** The website's other hostnames. */
  readonly aliases?: readonly string[] | undefined;
  /** The most characters of a row of several lines; without it, as many as a line of an export may have. */
  readonly rowCharactersMax?: number | undefined;
  /** The most properties that a row may have; undefined where any number is read. */
  readonly propertiesMax?: number | undefined;
}

export interface Reader {
  read(line: string): Reading;
  /** Whether the row that was begun has not ended yet. */
  readonly isMidway?: boolean;
  /** The reason why the line that was read last is unreadable, where the format can say it. */
  readonly trouble?: string | undefined;
  /** The address that most page views have, where it is that of a proxy or container and of no visitor. */
  readonly proxyAddress?: string | undefined;
}

/**
 * The outcome of a line: a row; why it is left out; or "none" for one that is no row, such as a header or the beginning of
 * a row that goes on.
 */
export type Reading = Row | LeftOut | "none";

/**
 * A page view, an event in a row of its own, or a "time", which is no row of the statistics: its `visibleMs` is added to the
 * last page view of its path in its visit. Only beside `visitor`, in a format with events.
 */
export interface Row {
  readonly kind: "view" | "event" | "time";
  /** Milliseconds since 1970, UTC. */
  readonly timeMs: number;
  /** The days of visitors begin so many milliseconds before those of UTC: +07:00 is 25,200,000. */
  readonly offsetMs: number;
  /** The host that it was for; "" if the file does not say, and all is of one website. */
  readonly hostname: string;
  readonly values: DimensionValues;
  /** The page before was on the website itself. */
  readonly isInternal: boolean;
  /** The utm values, as `utmOf` returns them. */
  readonly utm: string;
  /** Tells the visitor from others, in memory only; "" if the file does not say, and the row has no visit. */
  readonly visitor: string;
  /** Tells the visit from others where the file knows visits; "" finds it by the visitor and by pauses. */
  readonly visit: string;
  /** Whether the visit began before its first row: nobody knows where it came from. Only beside `visit`. */
  readonly isUnderWay: boolean;
  /** Given if the file knows it: whether it is the visitor's first page view of the day, and not the first of this page. */
  readonly flags: { readonly unique: boolean; readonly seen: boolean } | undefined;
  /** In milliseconds; that of an event with a visitor is added as that of a "time". */
  readonly visibleMs: number | null;
  /** The time, in milliseconds, that a page view adds to the one before it in its visit. Only beside `visitor`. */
  readonly beforeMs?: number;
  /** Whether the file does not say on which page an event was: on the last one of its visit, or else the one of `values`. */
  readonly isPageless?: boolean;
  /** The properties of an event row, or of a page view and the events on it. */
  readonly properties: readonly PastProperties[];
  /** A row of an export of this program knows its visit, of which it needs no other row. */
  readonly exported?: Required<Pick<PastLoad, "visit" | "visitValues" | "visitFlags">>;
}
