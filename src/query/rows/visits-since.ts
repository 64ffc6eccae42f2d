/** Finds the visits that are under way: those with a sign of life after some time that is not long ago. */
import { movedRow, type Chunk } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";

/**
 * Returns the visits with a page view that was seen, or an event that came, after `sinceMs`, which lies in the last day:
 * older rows are in sealed chunks, which are not read.
 */
export function visitsSince(site: ReadSite, sinceMs: number): ReadonlySet<number> {
  const visits = new Set<number>();
  for (const chunk of site.chunks.values()) if (!chunk.sealed) addVisits(chunk, sinceMs, visits);
  visits.delete(0);
  return visits;
}

function addVisits(chunk: Chunk, sinceMs: number, visits: Set<number>): void {
  const { rows, time, duration, visit, properties, propertyRow, propertyTime, monthMs } = chunk;
  for (let row = 0; row < rows; row++)
    if (monthMs + time[row]! + duration[row]! > sinceMs) visits.add(visit[row]!);
  if (chunk.propertyMaxMs <= sinceMs) return;
  for (let index = 0; index < properties; index++) {
    const row = propertyRow[index]!;
    if (propertyTime[index] !== 0 && row !== movedRow && chunk.propertyTimeMs(index) > sinceMs)
      visits.add(visit[row]!);
  }
}
