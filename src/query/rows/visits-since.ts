/** Finds the visits that are under way: those with a sign of life after some time that is not long ago. */
import { visitPauseMs } from "../../core/hit.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { VisitSet } from "./visit-numbers.ts";

/** Returns the visits that are not over at a time. */
export function visitsUnderWay(nowMs: number, context: QueryContext): VisitSet {
  return context.once(`visits under way ${nowMs}`, () => visitsSince(context.site, nowMs - visitPauseMs));
}

/**
 * Returns the visits with a page view that was seen, or an event that came, after `sinceMs`, which lies in the last day:
 * older rows are in sealed chunks, which are not read. `untilMs`: later rows do not count; a clock that was ahead made them.
 */
export function visitsSince(site: ReadSite, sinceMs: number, untilMs = Infinity): VisitSet {
  const visits = new VisitSet();
  for (const chunk of site.chunks.values()) if (!chunk.sealed) addVisits(chunk, sinceMs, untilMs, visits);
  return visits;
}

function addVisits(chunk: Chunk, sinceMs: number, untilMs: number, visits: VisitSet): void {
  const { rows, time, duration, visit, properties, propertyRow, propertyTime, monthMs } = chunk;
  const since = sinceMs - monthMs;
  const until = untilMs - monthMs;
  for (let row = 0; row < rows; row++)
    if (time[row]! + duration[row]! > since && time[row]! <= until) visits.add(visit[row]!);
  if (chunk.propertyMaxMs <= sinceMs) return;
  for (let index = 0; index < properties; index++) {
    const row = propertyRow[index]!;
    if (propertyTime[index] === 0 || row === movedRow) continue;
    const timeMs = chunk.propertyTimeMs(index);
    if (timeMs > sinceMs && timeMs <= untilMs) visits.add(visit[row]!);
  }
}
