/** The dictionaries of a website, or of its mirror: one for each stored dimension, and two of properties. */
import { dimensionIndex, storedDimensions } from "../../core/questions/stored-dimension.ts";

interface Dictionaries<D> {
  /** In the order of `storedDimensions`. */
  readonly dictionaries: readonly D[];
  readonly propertyNames: D;
  readonly propertyValues: D;
}

/** Returns all of them, in an order that never changes. */
export function allDictionaries<D>({ dictionaries, propertyNames, propertyValues }: Dictionaries<D>): D[] {
  return [...dictionaries, propertyNames, propertyValues];
}

const kinds = [...storedDimensions.map(({ name }) => name), "property.name", "property.value"];

/** Returns all of them by the kind of their names, as files and records have it: a dimension, or one of the two of properties. */
export function dictionariesByKind<D>(of: Dictionaries<D>): ReadonlyMap<string, D> {
  return new Map(allDictionaries(of).map((dictionary, at) => [kinds[at]!, dictionary]));
}

/** Returns that of paths: what counts by page needs it by itself. */
export function pathDictionary<D>({ dictionaries }: Pick<Dictionaries<D>, "dictionaries">): D {
  return dictionaries[dimensionIndex.path]!;
}
