/**
 * Custom properties of a hit: own keys in the order sent, values as strings. Names are values, never keys of an object.
 * null is a name or a value that is not kept apart from others.
 */
export type Properties = readonly (readonly [name: string | null, value: string | null])[];

/**
 * The JSON numbers among the values of properties, in their order, null for other values; empty where none is a number.
 * They stand beside the texts, so that sums depend on no name and no limit of names.
 */
export type PropertyNumbers = readonly (number | null)[];
export const noNumbers: PropertyNumbers = [];

/** Greater numbers are kept as texts only: any sum stays finite. */
export const propertyNumberMax = Number.MAX_SAFE_INTEGER;
