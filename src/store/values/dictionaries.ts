/** Finds the dictionary of paths among those of a website: what counts by page needs it by itself. */
import { dimensionIndex } from "../../core/questions/stored-dimension.ts";

/** Returns the dictionary of paths. `dictionaries`: one for each stored dimension, in their order. */
export function pathDictionary<D>({ dictionaries }: { readonly dictionaries: readonly D[] }): D {
  return dictionaries[dimensionIndex.path]!;
}
