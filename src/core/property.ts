/**
 * Custom properties of a hit: own keys in the order sent, values as strings. Names are values, never keys of an object.
 * null is a name or a value that is not kept apart from others.
 */
export type Properties = readonly (readonly [name: string | null, value: string | null])[];
