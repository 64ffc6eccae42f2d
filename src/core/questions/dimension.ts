/**
 * The one table of dimensions. Columns, records, list endpoints, filters and the OpenAPI document follow from it, and
 * what a row knows of its visit (stored-dimension.ts). The order is part of the formats: dimensions and columns are
 * appended, never moved.
 */

/** Stands for all values that are not kept apart; a literal "(other)" that a visitor sends is an ordinary value. */
export const otherLabel = "(other)";
export const unknownLabel = "Unknown";

/**
 * The columns of a row that hold ids. `path` holds values; the others hold interned tuples of several dimensions'
 * values. `entry` and `origin` are those of the row's visit.
 */
export const columnNames = ["path", "client", "place", "source", "entry", "origin"] as const;
export type ColumnName = (typeof columnNames)[number];

interface DimensionRow {
  /** The name of the filter parameter. */
  readonly name: string;
  /** The name of the list endpoint. */
  readonly list: string;
  /** The name of the field in a row of that list. */
  readonly field: string;
  readonly column: ColumnName;
  /**
   * The words of the dashboard: the name of one value, that of several, and what follows a number of visitors who have a
   * value, such as "in {value}".
   */
  readonly label: { readonly one: string; readonly many: string; readonly clause: string };
  /**
   * The name of the value "" in the dashboard, and whether it has a row in the list. A dimension without it is never
   * asked for "": the value has a row with another name, such as "Unknown", or does not occur.
   */
  readonly empty?: { readonly label: string; readonly row: boolean };
  readonly description: string;
  /**
   * The dimension's value in everything recorded before this line was appended: "" (none), or `unknownLabel` if the
   * lists call it so. The lines of format 1, which every record has, need none.
   */
  readonly before?: string;
}

/** The dimensions of campaigns share these. */
const utm = { column: "source", empty: { label: "(none)", row: false } } as const;

export const dimensions = [
  {
    name: "path",
    list: "pages",
    field: "path",
    column: "path",
    label: { one: "Page", many: "Pages", clause: "to {value}" },
    description: "Path of the page",
  },
  {
    name: "referrer",
    list: "referrers",
    field: "referrer",
    column: "source",
    label: { one: "Referrer", many: "Referrers", clause: "from {value}" },
    empty: { label: "Direct / none", row: true },
    description: "Referrer: host and path, or its group",
  },
  {
    name: "utm_source",
    list: "sources",
    field: "source",
    ...utm,
    label: { one: "Source", many: "Sources", clause: "with the source {value}" },
    description: "UTM source",
  },
  {
    name: "utm_medium",
    list: "mediums",
    field: "medium",
    ...utm,
    label: { one: "Medium", many: "Mediums", clause: "with the medium {value}" },
    description: "UTM medium",
  },
  {
    name: "utm_campaign",
    list: "campaigns",
    field: "campaign",
    ...utm,
    label: { one: "Campaign", many: "Campaigns", clause: "with the campaign {value}" },
    description: "UTM campaign",
  },
  {
    name: "browser",
    list: "browsers",
    field: "browser",
    column: "client",
    label: { one: "Browser", many: "Browsers", clause: "with {value}" },
    description: "Browser name",
  },
  {
    name: "os",
    list: "os",
    field: "os",
    column: "client",
    label: { one: "System", many: "Systems", clause: "on {value}" },
    description: "Operating system name",
  },
  {
    name: "device",
    list: "devices",
    field: "device",
    column: "client",
    label: { one: "Device", many: "Devices", clause: "on {value}" },
    description: "Device type",
  },
  {
    name: "country",
    list: "countries",
    field: "country",
    column: "place",
    label: { one: "Country", many: "Countries", clause: "in {value}" },
    description: "Country name",
  },
  {
    name: "language",
    list: "languages",
    field: "language",
    column: "place",
    label: { one: "Language", many: "Languages", clause: "with the language {value}" },
    description: "Language tag or name",
  },
  {
    name: "utm_content",
    list: "contents",
    field: "content",
    ...utm,
    label: { one: "Content", many: "Contents", clause: "with the content {value}" },
    description: "UTM content",
    before: "",
  },
  {
    name: "utm_term",
    list: "terms",
    field: "term",
    ...utm,
    label: { one: "Term", many: "Terms", clause: "with the term {value}" },
    description: "UTM term",
    before: "",
  },
] as const satisfies readonly DimensionRow[];

export type Dimension = (typeof dimensions)[number];
export type DimensionName = Dimension["name"];

/** The dimensions that are parameters of a page's URL, under the same names. */
export type UtmName = Extract<DimensionName, `utm_${string}`>;
export const utmNames = dimensions
  .map(({ name }) => name)
  .filter((name): name is UtmName => name.startsWith("utm_"));

/**
 * Dimensions of which nothing is stored: their values are looked up from those of the members of their column when a
 * question is answered (query/names/derived.ts). They may change with every version.
 */
export const derivedDimensions = [
  {
    name: "channel",
    list: "channels",
    field: "channel",
    column: "source",
    label: { one: "Channel", many: "Channels", clause: "by way of {value}" },
    description: "Channel: the kind of place that people came from",
  },
] as const satisfies readonly Omit<DimensionRow, "before">[];
export type DerivedDimension = (typeof derivedDimensions)[number];
/** All that has a list and filters. */
export const listedDimensions = [...dimensions, ...derivedDimensions] as const;
export type ListedDimension = Dimension | DerivedDimension;
export type ListName = ListedDimension["list"];

/** Returns how the value "" of a dimension is shown; undefined if it is never asked for. */
export function emptyOf({ empty }: DimensionRow): DimensionRow["empty"] {
  return empty;
}

/** The properties of page views, by which a filter can select besides the dimensions. */
export const propertyFilterNames = ["prop_name", "prop_value"] as const;
export type PropertyFilterName = (typeof propertyFilterNames)[number];
/** The names of what a question can filter by. */
export type AskedName = ListedDimension["name"] | "entry" | PropertyFilterName;
export const filterNames: readonly AskedName[] = [
  ...listedDimensions.map(({ name }) => name),
  "entry",
  ...propertyFilterNames,
];
/** The names of what a removal can select by: only of what is stored, as a later program may look up something else. */
export const removalFilterNames = filterNames.filter((name) =>
  derivedDimensions.every((own) => own.name !== name),
);
