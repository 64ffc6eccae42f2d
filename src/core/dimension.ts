/**
 * The one table of dimensions. Columns, records, list endpoints, filters and the OpenAPI document follow
 * from it. The order is part of the formats: dimensions and columns are appended, never moved. A second table has what
 * a row knows of its visit: the same values, of the visit's first page view.
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
  {
    name: "utm_content",
    list: "contents",
    field: "content",
    column: "source",
    label: { one: "Content", many: "Contents" },
    empty: { label: "(none)", row: false },
    description: "UTM content",
    before: "",
  },
  {
    name: "utm_term",
    list: "terms",
    field: "term",
    column: "source",
    label: { one: "Term", many: "Terms" },
    empty: { label: "(none)", row: false },
    description: "UTM term",
    before: "",
  },
] as const satisfies readonly DimensionRow[];

export type Dimension = (typeof dimensions)[number];
export type DimensionName = Dimension["name"];

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
    label: { one: "Channel", many: "Channels" },
    description: "Channel: the kind of place that people came from",
  },
] as const satisfies readonly Omit<DimensionRow, "before">[];
export type DerivedDimension = (typeof derivedDimensions)[number];
/** All that has a list and filters. */
export const listedDimensions = [...dimensions, ...derivedDimensions] as const;
export type ListedDimension = Dimension | DerivedDimension;
export type ListName = ListedDimension["list"];

/**
 * The referrer of a visit that was under way when its first hit was seen: nobody knows where it came from. No referrer
 * has a question mark.
 */
export const unknownReferrer = "?";

interface VisitDimensionRow {
  readonly name: string;
  /** The dimension of the visit's first page view whose value it is. */
  readonly of: DimensionName;
  readonly column: ColumnName;
  /** The value of rows without a visit. */
  readonly before: string;
}

/** The values that a row has of its visit. Only `entry` is a filter by this name; the others are asked for with `by=visit`. */
export const visitDimensions = [
  { name: "entry", of: "path", column: "entry", before: "" },
  { name: "visit_referrer", of: "referrer", column: "origin", before: unknownReferrer },
  { name: "visit_utm_source", of: "utm_source", column: "origin", before: "" },
  { name: "visit_utm_medium", of: "utm_medium", column: "origin", before: "" },
  { name: "visit_utm_campaign", of: "utm_campaign", column: "origin", before: "" },
  { name: "visit_utm_content", of: "utm_content", column: "origin", before: "" },
  { name: "visit_utm_term", of: "utm_term", column: "origin", before: "" },
] as const satisfies readonly VisitDimensionRow[];

export type VisitDimensionName = (typeof visitDimensions)[number]["name"];
/** A dimension whose values a row has. */
export type StoredName = DimensionName | VisitDimensionName;

/** All dimensions whose values a row has: those of its own hit, and those of its visit. */
export const storedDimensions: readonly {
  readonly name: StoredName;
  readonly column: ColumnName;
  readonly before?: string;
}[] = [...dimensions, ...visitDimensions];

/** By name, the column of what is looked up: the channel of the hit, and that of its visit. */
export const derivedColumns = { channel: "source", visit_channel: "origin" } as const;
export type DerivedName = keyof typeof derivedColumns;
export const derivedNames = Object.keys(derivedColumns) as readonly DerivedName[];
/** A dimension whose values a row has, or from whose values they are looked up. */
export type RowName = StoredName | DerivedName;

export function isDerived(name: string): name is DerivedName {
  return Object.hasOwn(derivedColumns, name);
}

/** Returns the column of a dimension; undefined for another name. */
export function columnOf(name: string): ColumnName | undefined {
  if (isDerived(name)) return derivedColumns[name];
  return storedDimensions.find((dimension) => dimension.name === name)?.column;
}

/** The index of each dimension in `storedDimensions`. Those of `dimensions` come first. */
export const dimensionIndex: Readonly<Record<StoredName, number>> = Object.freeze(
  Object.fromEntries(storedDimensions.map(({ name }, index) => [name, index])) as Record<StoredName, number>,
);

/**
 * By index: a dimension's value in everything from before its line was appended; undefined for dimensions of format 1.
 */
export const valuesBefore: readonly (string | undefined)[] = storedDimensions.map(({ before }) => before);

/** Returns the dimension with this name, or the one that a visit has the value of. */
export function ownDimension(name: StoredName): DimensionName;
export function ownDimension(name: RowName): ListedDimension["name"];
export function ownDimension(name: RowName): ListedDimension["name"] {
  if (isDerived(name)) return "channel";
  return visitDimensions.find((dimension) => dimension.name === name)?.of ?? (name as DimensionName);
}

/** Returns the visit's dimension that has the values of this one; the name itself if there is none. */
export function visitDimension(name: StoredName): StoredName;
export function visitDimension(name: RowName): RowName;
export function visitDimension(name: RowName): RowName {
  if (isDerived(name)) return "visit_channel";
  const found = visitDimensions.find((dimension) => dimension.of === name && dimension.column === "origin");
  return found?.name ?? name;
}

/** Returns how the value "" of a dimension is shown; undefined if it is never asked for. */
export function emptyOf({ empty }: DimensionRow): DimensionRow["empty"] {
  return empty;
}

/**
 * One value a dimension, in the order of `dimensions`. "" is: no referrer, no utm value, unknown country or language. null
 * is a value that is not kept apart from others.
 */
export type DimensionValues = readonly (string | null)[];
/** One value a dimension of a visit, in the order of `visitDimensions`; null as above. */
export type VisitValues = readonly (string | null)[];

/** The values of rows without a visit. */
export const noVisitValues: VisitValues = visitDimensions.map(({ before }) => before);

/** The indexes in `DimensionValues` of a visit's values. */
const visitIndexes: readonly number[] = visitDimensions.map(({ of }) => dimensionIndex[of]);

/** Returns the values of a visit whose first page view has these values; `isUnderWay`: it began before that. */
export function visitValuesOf(values: DimensionValues, isUnderWay: boolean): VisitValues {
  if (!isUnderWay) return visitIndexes.map((index) => values[index] as string | null);
  return visitDimensions.map(({ name, before }) =>
    name === "entry" ? (values[0] as string | null) : before,
  );
}

/** The properties of page views, by which a filter can select besides the dimensions. */
export const propertyFilterNames = ["prop_name", "prop_value"] as const;
export type PropertyFilterName = (typeof propertyFilterNames)[number];
/** Names of what is stored of rows, and so of all that a removal selects by. */
export type StoredFilterName = StoredName | PropertyFilterName;
/** The names by which a filter can select. */
export type FilterName = RowName | PropertyFilterName;
/** Those that a question can spell out. */
export type AskedName = ListedDimension["name"] | "entry" | PropertyFilterName;
export const filterNames: readonly AskedName[] = [
  ...listedDimensions.map(({ name }) => name),
  "entry",
  ...propertyFilterNames,
];
export const storedFilterNames: readonly StoredFilterName[] = [
  ...storedDimensions.map(({ name }) => name),
  ...propertyFilterNames,
];
