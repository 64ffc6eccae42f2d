/** Custom properties of a hit: own keys in the order sent, values as strings. Names are values, never keys of an object. */
export type Properties = readonly (readonly [name: string, value: string])[];
