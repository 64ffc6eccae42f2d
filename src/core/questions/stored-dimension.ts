/**
 * The values that a row stores: those of its own hit, in the order of the table of dimensions, and those of its visit,
 * which are the same ones of the visit's first page view. Their order is part of the formats.
 */
import {
  dimensions,
  propertyFilterNames,
  type ColumnName,
  type Dimension,
  type DimensionName,
  type ListedDimension,
  type PropertyFilterName,
} from "./dimension.ts";

/**
 * The referrer of a visit that was under way when its first hit was seen: nobody knows where it came from. No referrer
 * has a question mark.
 */
export const unknownReferrer = "?";

interface VisitDimensionRow {
  readonly name: VisitDimensionName;
  /** The dimension of the visit's first page view whose value it is. */
  readonly of: DimensionName;
  readonly column: ColumnName;
  /** The value of rows without a visit. */
  readonly before: string;
}

/** The dimensions that say where a visit comes from. */
type SourceName = Extract<Dimension, { readonly column: "source" }>["name"];
export type VisitDimensionName = "entry" | `visit_${SourceName}`;

/**
 * The values that a row has of its visit: the page where it began, and where it came from. Only `entry` is a filter by
 * this name; the others are asked for with `by=visit`. A source that is appended to `dimensions` is appended here too, so
 * nothing may come behind the sources.
 */
export const visitDimensions: readonly VisitDimensionRow[] = [
  { name: "entry", of: "path", column: "entry", before: "" },
  ...dimensions
    .filter((dimension) => dimension.column === "source")
    .map(({ name }) => ({
      name: `visit_${name}` as const,
      of: name,
      column: "origin" as const,
      before: name === "referrer" ? unknownReferrer : "",
    })),
];
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

/** The same of the dimensions that lists are made of, by hit or by visit; undefined for the others too. */
export const listedValuesBefore: readonly (string | undefined)[] = storedDimensions.map(({ name, before }) =>
  dimensions.some((own) => own.name === name || visitDimension(own.name) === name) ? before : undefined,
);

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

/** Names of what is stored of rows, and so of all that a removal selects by. */
export type StoredFilterName = StoredName | PropertyFilterName;
/** The names by which a filter can select. */
export type FilterName = RowName | PropertyFilterName;
export const storedFilterNames: readonly StoredFilterName[] = [
  ...storedDimensions.map(({ name }) => name),
  ...propertyFilterNames,
];
