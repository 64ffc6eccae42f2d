/**
 * Counts what comes in a quarter of an hour before a time inside it, where a span of time begins or ends there: facts know
 * whole quarters only. A visit has all of its rows close to one of them, so few rows are read.
 */
import { visitSpanMsMax } from "../../core/hit.ts";
import { quarterMs, quarterVisit, quarterVisits } from "../../facts/quarters.ts";
import { firstFrom } from "../../store/chunks/first-from.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { isPageView, rowFlag } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";

/** Numbers that are added to the sums of all quarters before. */
export interface QuarterRest {
  /** By `quarterVisit`: the visits whose first or last row it is. */
  readonly visits: Uint32Array;
  /** Page views without a visit, and the milliseconds on them. */
  readonly pageviews: number;
  readonly totalMs: number;
}

export const noRest: QuarterRest = { visits: new Uint32Array(quarterVisits), pageviews: 0, totalMs: 0 };

/** Returns what a chunk, whose rows are by time, has before `ms` in its quarter. */
export function restBefore(chunk: Chunk, ms: number, context: QueryContext): QuarterRest {
  const startMs = Math.floor(ms / quarterMs) * quarterMs;
  if (startMs === ms) return noRest;
  const [low, from, to, high] = [startMs - visitSpanMsMax, startMs, ms, ms + visitSpanMsMax].map((at) =>
    firstFrom(chunk, at, 0, chunk.rows),
  ) as [number, number, number, number];
  if (from === to) return noRest;
  context.rowsRead += high - low;
  const { first, last, firstTimed, lastTimed } = quarterVisit;
  const visits = new Uint32Array(quarterVisits);
  for (const [firstOf, lastOf, flag] of [
    [first, last, 0],
    [firstTimed, lastTimed, rowFlag.timed],
  ] as const) {
    const own = visitsAmong(chunk, from, to, flag);
    visits[firstOf] = countWithout(own, chunk, low, from, flag);
    visits[lastOf] = countWithout(own, chunk, to, high, flag);
  }
  return { visits, ...outsideAmong(chunk, from, to) };
}

/** Returns the visits with a row that has all bits of `flag`. */
function visitsAmong({ visit, flags }: Chunk, from: number, to: number, flag: number): Set<number> {
  const visits = new Set<number>();
  for (let row = from; row < to; row++)
    if (visit[row] !== 0 && (flags[row]! & flag) === flag) visits.add(visit[row]!);
  return visits;
}

/** Returns how many of these visits have no such row. Other visits are not remembered: they may be a hundred times as many. */
function countWithout(
  visits: ReadonlySet<number>,
  { visit, flags }: Chunk,
  from: number,
  to: number,
  flag: number,
): number {
  const left = new Set(visits);
  for (let row = from; row < to && left.size > 0; row++)
    if ((flags[row]! & flag) === flag) left.delete(visit[row]!);
  return left.size;
}

function outsideAmong({ visit, flags, duration }: Chunk, from: number, to: number) {
  let [pageviews, totalMs] = [0, 0];
  for (let row = from; row < to; row++) {
    if (visit[row] !== 0) continue;
    pageviews += isPageView(flags[row]!);
    totalMs += duration[row]!;
  }
  return { pageviews, totalMs };
}
