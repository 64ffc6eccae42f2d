/** The number of events for each name of a property. */
import type { Chunk } from "../store/chunks/chunk.ts";
import { movedRow } from "../store/columns/columns.ts";

export interface NameEvents {
  /** Name ids, each once. */
  readonly names: Uint32Array;
  /** By index into `names`: the number of events, at least 1. */
  readonly events: Uint32Array;
}

/** Counts all properties of a chunk by name. `names` is more than the greatest name id. */
export function eventsOfChunk({ properties, propertyName, propertyRow }: Chunk, names: number): NameEvents {
  const byName = new Uint32Array(names);
  for (let index = 0; index < properties; index++) {
    if (propertyRow[index] === movedRow) continue;
    const name = propertyName[index]!;
    byName[name] = byName[name]! + 1;
  }
  const used = Uint32Array.from(byName.keys()).filter((name) => byName[name]! > 0);
  return { names: used, events: used.map((name) => byName[name]!) };
}
