/**
 * The one table of dimensions. Columns, records, list endpoints, filters and the OpenAPI document follow
 * from it. The order is part of the formats: dimensions and columns are appended, never moved.
 */

/** Stands for all values that are not kept apart; a literal "(other)" that a visitor sends is an ordinary value. */
export const otherLabel = "(other)";
export const unknownLabel = "Unknown";

/** The columns of a row. `path` holds values; the others hold interned tuples of several dimensions' values. */
export const columnNames = ["path", "client", "place", "source"] as const;
export type ColumnName = (typeof columnNames)[number];

interface DimensionRow {
  /** The name of the filter parameter. */
  readonly name: string;
  /** The name of the list endpoint. */
  readonly list: string;
  /** The name of the field in a row of that list. */
  readonly field: string;
  readonly column: ColumnName;
  /** The name in the dashboard: of one value, and of several. */
  readonly label: { readonly one: string; readonly many: string };
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

export const dimensions = [
  {
    name: "path",
    list: "pages",
    field: "path",
    column: "path",
    label: { one: "Page", many: "Pages" },
    description: "Path of the page",
  },
  {
    name: "referrer",
    list: "referrers",
    field: "referrer",
    column: "source",
    label: { one: "Referrer", many: "Referrers" },
    empty: { label: "Direct / none", row: true },
    description: "Referrer: host and path, or its group",
  },
  {
    name: "utm_source",
    list: "sources",
    field: "source",
    column: "source",
    label: { one: "Source", many: "Sources" },
    empty: { label: "(none)", row: false },
    description: "UTM source",
  },
  {
    name: "utm_medium",
    list: "mediums",
    field: "medium",
    column: "source",
    label: { one: "Medium", many: "Mediums" },
    empty: { label: "(none)", row: false },
    description: "UTM medium",
  },
  {
    name: "utm_campaign",
    list: "campaigns",
    field: "campaign",
    column: "source",
    label: { one: "Campaign", many: "Campaigns" },
    empty: { label: "(none)", row: false },
    description: "UTM campaign",
  },
  {
    name: "browser",
    list: "browsers",
    field: "browser",
    column: "client",
    label: { one: "Browser", many: "Browsers" },
    description: "Browser name",
  },
  {
    name: "os",
    list: "os",
    field: "os",
    column: "client",
    label: { one: "System", many: "Systems" },
    description: "Operating system name",
  },
  {
    name: "device",
    list: "devices",
    field: "device",
    column: "client",
    label: { one: "Device", many: "Devices" },
    description: "Device type",
  },
  {
    name: "country",
    list: "countries",
    field: "country",
    column: "place",
    label: { one: "Country", many: "Countries" },
    description: "Country name",
  },
  {
    name: "language",
    list: "languages",
    field: "language",
    column: "place",
    label: { one: "Language", many: "Languages" },
    description: "Language tag or name",
  },
] as const satisfies readonly DimensionRow[];

export type Dimension = (typeof dimensions)[number];
export type DimensionName = Dimension["name"];
export type ListName = Dimension["list"];

/** The index of each dimension in `dimensions`, in `DimensionValues` and in records. */
export const dimensionIndex: Readonly<Record<DimensionName, number>> = Object.freeze(
  Object.fromEntries(dimensions.map(({ name }, index) => [name, index])) as Record<DimensionName, number>,
);

/**
 * By index: a dimension's value in everything from before its line was appended; undefined for dimensions of format 1.
 */
export const valuesBefore: readonly (string | undefined)[] = dimensions.map(
  ({ before }: DimensionRow) => before,
);

/** Returns how the value "" of a dimension is shown; undefined if it is never asked for. */
export function emptyOf({ empty }: DimensionRow): DimensionRow["empty"] {
  return empty;
}

/**
 * One value a dimension, in the order of `dimensions`. "" is: no referrer, no utm value, unknown country or language. null
 * is a value that is not kept apart from others.
 */
export type DimensionValues = readonly (string | null)[];

/** The properties of page views, by which a filter can select besides the dimensions. */
export const propertyFilterNames = ["prop_name", "prop_value"] as const;
export type PropertyFilterName = (typeof propertyFilterNames)[number];
export type FilterName = DimensionName | PropertyFilterName;
export const filterNames: readonly FilterName[] = [
  ...dimensions.map(({ name }) => name),
  ...propertyFilterNames,
];
