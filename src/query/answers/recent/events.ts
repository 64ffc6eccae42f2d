/** Finds the latest events of an open chunk: each is what was sent together, by the places of its properties. */
import { propertiesMax } from "../../../core/hit.ts";
import type { Period } from "../../../core/questions/query.ts";
import { recentEntriesMax, type RecentProperty } from "../../../core/questions/recent.ts";
import type { Chunk } from "../../../store/chunks/chunk.ts";
import { movedRow } from "../../../store/columns/columns.ts";
import type { ReadSite } from "../../../store/mirror/read-site.ts";
import { textOf } from "../../names/value-text.ts";

interface FoundEvent {
  readonly ms: number;
  readonly chunk: Chunk;
  readonly row: number;
  /** The properties, in the order in which they were sent. */
  readonly indexes: readonly number[];
}

/**
 * Returns the last events of a chunk that are in the period, the last first. Properties of an event stand next to each other,
 * have one row and one time, and are at most as many as an event may have.
 */
export function lastEvents(chunk: Chunk, { startMs, endMs }: Period): FoundEvent[] {
  const { propertyRow, propertyTime } = chunk;
  const found: (FoundEvent & { readonly indexes: number[] })[] = [];
  for (let at = chunk.properties - 1; at >= 0; at--) {
    const [row, ms] = [propertyRow[at]!, chunk.propertyTimeMs(at)];
    if (row === movedRow || propertyTime[at] === 0 || ms < startMs || ms > endMs) continue;
    const event = found.at(-1);
    const goesOn = event?.row === row && event.ms === ms && event.indexes.length < propertiesMax;
    if (goesOn) event.indexes.push(at);
    else if (found.length === recentEntriesMax) break;
    else found.push({ ms, chunk, row, indexes: [at] });
  }
  for (const { indexes } of found) indexes.reverse();
  return found;
}

export function propertyOf(site: ReadSite, chunk: Chunk, at: number): RecentProperty {
  const number = chunk.propertyNumber[at]!;
  return {
    name: textOf(site.propertyNames, chunk.propertyName[at]!),
    value: textOf(site.propertyValues, chunk.propertyValue[at]!),
    ...(!Number.isNaN(number) && { number }),
  };
}
