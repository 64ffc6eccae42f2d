/** The forms in which a website is exported: the kinds of lines, the formats, and the names of the fields in their order. */
import type { ColumnName } from "./dimension.ts";
import { storedDimensions } from "./stored-dimension.ts";

/** Page views with their events are what an import takes; visits and events are made from them, for whoever counts. */
export const exportKinds = ["page-views", "visits", "events"] as const;
export type ExportKind = (typeof exportKinds)[number];

export const exportFormats = ["jsonl", "csv"] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** How a file may be packed, by the end of its name. */
const packings = ["gz", "zst"] as const;
export type Packing = (typeof packings)[number];

/** The ends of the names of files, such as jsonl and csv.gz. */
export const exportEndings = exportFormats.flatMap((format) => [
  format,
  ...packings.map((packing) => `${format}.${packing}` as const),
]);
export type ExportEnding = (typeof exportEndings)[number];

/** Returns what the end of a file's name says. */
export function endingParts(ending: ExportEnding): readonly [format: ExportFormat, packing?: Packing] {
  return ending.split(".") as [ExportFormat, Packing?];
}

/** The place at which a piece of an export begins: at a time, after so many rows of this millisecond. */
export interface ExportPlace {
  readonly timeMs: number;
  readonly rows: number;
}

/** Returns the names of the values in columns of ids. */
export function fieldsOf(...columns: readonly ColumnName[]): string[] {
  return columns.flatMap((column) =>
    storedDimensions.flatMap((dimension) => (dimension.column === column ? [dimension.name] : [])),
  );
}

/** `others` names the fields whose value is not kept apart, and reads `(other)`. */
export const exportFields: Readonly<Record<ExportKind, readonly string[]>> = {
  "page-views": [
    ...["kind", "time", ...fieldsOf("path", "source", "client", "place")],
    ...["is_unique", "is_first_view", "duration_ms", "had_event"],
    ...["visit", "is_entry", "is_exit", "is_bounce", ...fieldsOf("entry", "origin")],
    ...["properties", "others"],
  ],
  visits: [
    ...["visit", "start", "end", "page_views", "events", "duration_ms", "is_bounce"],
    ...[...fieldsOf("entry"), "exit", ...fieldsOf("origin", "client", "place"), "others"],
  ],
  events: [
    ...["time", "name", "value", "number", ...fieldsOf("path", "source", "client", "place")],
    ...["visit", ...fieldsOf("entry", "origin"), "others"],
  ],
};
