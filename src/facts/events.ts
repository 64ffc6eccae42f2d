/** How many events each name of a property has. */
import { movedRow, type Chunk } from "../store/columns/chunk.ts";

export interface NameEvents {
  /** Ids, each once. */
  readonly names: Uint32Array;
  /** By name: at least one. */
  readonly events: Uint32Array;
}

/** `byName`: the events of each id. */
export function nameEvents(byName: Uint32Array): NameEvents {
  const names = Uint32Array.from(byName.keys()).filter((name) => (byName[name] as number) > 0);
  return { names, events: names.map((name) => byName[name] as number) };
}

/** Of all properties of a chunk; `names`: more than the greatest id. */
export function eventsOfChunk({ properties, propertyName, propertyRow }: Chunk, names: number): NameEvents {
  const byName = new Uint32Array(names);
  for (let index = 0; index < properties; index++) {
    if (propertyRow[index] === movedRow) continue;
    const name = propertyName[index] as number;
    byName[name] = (byName[name] as number) + 1;
  }
  return nameEvents(byName);
}

export function addEvents(byName: Uint32Array, { names, events }: NameEvents): void {
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as number;
    byName[name] = (byName[name] as number) + (events[at] as number);
  }
}
