/**
 * The kinds of records about months that have facts in place of rows (store/state/reduced-month.ts): rows of the table
 * in `record.ts`.
 */
import type { DimensionName } from "../core/questions/dimension.ts";
import { appended, integer, numbers, optional, rows, text, words, type ValuesOf } from "./field.ts";
import { ofWebsite } from "./common-fields.ts";
import { filterName } from "./values.ts";

const ofFile = { name: text, bytes: integer, checksum: integer };

/**
 * The members of a source in a record of an imported month. A member that the columns of sources get later is not among
 * them: it has the value from before.
 */
export const sourceNames = [
  "referrer",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
] as const satisfies readonly DimensionName[];

/** The names that the file of an imported month brings along: its id of a name is its place, counted from 1. */
const importedNames = {
  /** By dimension, or `prop_name`. null is a name that is not kept apart. */
  namesOf: rows({ of: filterName, values: words }),
  /** The ids of the members of each source, one source after the other. */
  sources: numbers,
} as const;
type Imported = ValuesOf<typeof importedNames>;
export type ImportedNames = Imported & { readonly sources: readonly number[] };

export const monthKinds = {
  /** A month has given up its rows, and a file has its facts. */
  monthReduced: {
    number: 38,
    part: "statistics",
    ofOneWebsite: true,
    deletes: "statistics",
    fields: { ...ofWebsite, monthMs: integer, rows: integer, propertyCount: integer, ...ofFile },
  },
  /**
   * A month of which only sums are known, from another product: a file has its facts. `chunkNumber`: the next one of the
   * website; the times are those of the first and last page view, and of the first and last event.
   */
  monthImported: {
    number: 54,
    part: "statistics",
    ofOneWebsite: true,
    // It deletes nothing. But a replay of it needs its file, which a checkpoint writes again with other ids.
    deletes: "statistics",
    fields: {
      ...ofWebsite,
      monthMs: integer,
      chunkNumber: integer,
      rows: integer,
      propertyCount: integer,
      firstMs: integer,
      lastMs: integer,
      firstEventMs: optional(integer),
      lastEventMs: optional(integer),
      ...ofFile,
      ...importedNames,
      untilMs: appended(optional(integer), null),
    },
  },
  /** All months of a website that were imported as sums were removed, and the names that only they had. */
  importedSumsRemoved: {
    number: 60,
    part: "statistics",
    ofOneWebsite: true,
    deletes: "statistics",
    fields: ofWebsite,
  },
} as const;
