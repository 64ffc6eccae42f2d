/** A piece of an export: lines of page views and of events, as far as one answer goes. */
import { exportFields, type ExportKind, type ExportPlace } from "../../core/questions/exported.ts";
import type { ExportQuery } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag, visitFlag } from "../../store/columns/row-flag.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { lineFormats, type LineFormat } from "./line-format.ts";
import { eachRow } from "./row-order.ts";
import { RowProperties, type RowProperty } from "./row-properties.ts";
import { RowTexts } from "./row-texts.ts";
import { visitLines } from "./visit-lines.ts";

/** A piece ends after this many rows, or characters: it takes some tens of milliseconds. */
const rowsMax = 8_192;
const charactersMax = 2 ** 18;
/** A piece has no more rows of its last millisecond after this many characters: each row may have 64 Ki and more. */
const togetherCharactersMax = 2 ** 22;

export interface ExportPiece {
  /** UTF-8. */
  readonly bytes: Uint8Array;
  /** The place of the next piece; undefined behind the last one. */
  readonly next: ExportPlace | undefined;
}

/** Makes the lines of a row. */
type Writer = (chunk: Chunk, row: number, timeMs: number) => string;

export function answerExport(query: ExportQuery, context: QueryContext): ExportPiece {
  const { site } = context;
  const { of, format, period } = query;
  const from = query.from ?? { timeMs: period.startMs, rows: 0 };
  const head = query.from === undefined ? lineFormats[format].head(exportFields[of]) : "";
  if (of === "visits") {
    const { text, next } = visitLines(query, from, context);
    return { bytes: Buffer.from(head + text), next };
  }
  const write = writers[of](site, lineFormats[format]);
  let [text, rows] = [head, 0];
  const next = eachRow(site, from, period.endMs, (chunk, row, timeMs) => {
    if ((++rows & 0x3ff) === 0) context.throwIfCancelled();
    text += write(chunk, row, timeMs);
    if (text.length >= togetherCharactersMax) return "stop";
    return rows < rowsMax && text.length < charactersMax;
  });
  context.rowsRead += rows;
  return { bytes: Buffer.from(text), next };
}

const writers: Readonly<
  Record<Exclude<ExportKind, "visits">, (site: ReadSite, format: LineFormat) => Writer>
> = {
  "page-views": (site, format) => {
    const texts = new RowTexts(site, format);
    const propertiesOf = propertyReader(site);
    const bits = flagParts(format);
    const start = ["kind", "time"];
    return (chunk, row, timeMs) => {
      const isEvent = (chunk.flags[row]! & rowFlag.bare) !== 0;
      const time = new Date(timeMs).toISOString();
      texts.begin();
      const parts = [
        format.part(start, [isEvent ? "event" : "page_view", time]),
        texts.of(chunk, row, "path", "source", "client", "place"),
        bits(chunk, row),
        texts.of(chunk, row, "entry", "origin"),
        format.part(["properties"], [propertiesOf(chunk, row)]),
        texts.othersPart,
      ];
      return format.line(parts.join(","));
    };
  },
  events: (site, format) => {
    const texts = new RowTexts(site, format);
    const propertiesOf = propertyReader(site);
    return (chunk, row) =>
      propertiesOf(chunk, row)
        .map(({ others, ...property }) => {
          texts.begin(others === "" ? [] : others.split(" "));
          const parts = [
            format.part(Object.keys(property), Object.values(property)),
            texts.of(chunk, row, "path", "source", "client", "place"),
            format.part(["visit"], [chunk.visit[row]! || null]),
            texts.of(chunk, row, "entry", "origin"),
            texts.othersPart,
          ];
          return format.line(parts.join(","));
        })
        .join("");
  },
};

/** Returns a function that makes the parts that follow from the flags of a row, its duration and its visit. */
function flagParts(format: LineFormat) {
  const fields = exportFields["page-views"];
  const own = fields.slice(fields.indexOf("is_unique"), fields.indexOf("is_bounce") + 1);
  return ({ flags, duration, visit, visitFlags }: Chunk, row: number): string => {
    const [bits, ofVisit] = [flags[row]!, visitFlags[row]!];
    const isEntry = (ofVisit & visitFlag.entry) !== 0;
    return format.part(own, [
      (bits & rowFlag.unique) !== 0,
      (bits & rowFlag.first) !== 0,
      bits & rowFlag.timed ? duration[row] : null,
      (bits & rowFlag.evented) !== 0,
      visit[row]! || null,
      isEntry,
      (ofVisit & visitFlag.exit) !== 0,
      isEntry && (ofVisit & visitFlag.engaged) === 0,
    ]);
  };
}

/** Returns a function that finds the properties of the rows of a piece, chunk by chunk. */
function propertyReader(site: ReadSite): (chunk: Chunk, row: number) => readonly RowProperty[] {
  const known = new Map<Chunk, { readonly properties: RowProperties; readonly to: number }>();
  return (chunk, row) => {
    const before = known.get(chunk);
    // A piece has so many rows, and between them there may be any number that were removed.
    if (before !== undefined && row < before.to) return before.properties.of(row);
    const [from, to] = chunk.sorted ? [row, Math.min(row + rowsMax, chunk.rows)] : [0, chunk.rows];
    const properties = new RowProperties(site, chunk, from, to);
    known.set(chunk, { properties, to });
    return properties.of(row);
  };
}
