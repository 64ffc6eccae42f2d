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
  /** Whether the value "" (none) has a row of its own in the list. */
  readonly emptyRow: boolean;
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
    emptyRow: true,
    description: "Path of the page",
  },
  {
    name: "referrer",
    list: "referrers",
    field: "referrer",
    column: "source",
    emptyRow: true,
    description: "Referrer: host and path, or its group",
  },
  {
    name: "utm_source",
    list: "sources",
    field: "source",
    column: "source",
    emptyRow: false,
    description: "UTM source",
  },
  {
    name: "utm_medium",
    list: "mediums",
    field: "medium",
    column: "source",
    emptyRow: false,
    description: "UTM medium",
  },
  {
    name: "utm_campaign",
    list: "campaigns",
    field: "campaign",
    column: "source",
    emptyRow: false,
    description: "UTM campaign",
  },
  {
    name: "browser",
    list: "browsers",
    field: "browser",
    column: "client",
    emptyRow: true,
    description: "Browser name",
  },
  {
    name: "os",
    list: "os",
    field: "os",
    column: "client",
    emptyRow: true,
    description: "Operating system name",
  },
  {
    name: "device",
    list: "devices",
    field: "device",
    column: "client",
    emptyRow: true,
    description: "Device type",
  },
  {
    name: "country",
    list: "countries",
    field: "country",
    column: "place",
    emptyRow: true,
    description: "Country name",
  },
  {
    name: "language",
    list: "languages",
    field: "language",
    column: "place",
    emptyRow: true,
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
