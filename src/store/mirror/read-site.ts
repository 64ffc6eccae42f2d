/**
 * The read-only interface through which questions see a website. It is implemented by the website itself and by its
 * mirror in another thread.
 */
import type { Chunk } from "../chunks/chunk.ts";
import type { ReducedMonth } from "../state/reduced-month.ts";
import type { TupleColumn } from "../state/site.ts";

export interface ReadDictionary {
  /** One more than the greatest id. */
  readonly size: number;
  /** The value of an id from 1 to `size - 1`. */
  value(id: number): string;
  /** Returns what `Dictionary.since` returns. */
  since(first: 1): { readonly bytes: Uint8Array; readonly ends: Uint32Array };
}

export interface ReadTuples {
  /** One array per member, indexed by tuple id; only the first `size` entries count. */
  readonly members: readonly Uint32Array[];
  readonly size: number;
}

export interface ReadSite {
  readonly websiteId: number;
  /** One a dimension, in the order of `storedDimensions`. */
  readonly dictionaries: readonly ReadDictionary[];
  readonly propertyNames: ReadDictionary;
  readonly propertyValues: ReadDictionary;
  readonly tuples: Readonly<Record<TupleColumn, ReadTuples>>;
  /** By number, which is the order in which they were created. */
  readonly chunks: ReadonlyMap<number, Chunk>;
  /** The months that gave up their rows. */
  readonly reduced: ReadonlyMap<number, ReducedMonth>;
}
