/**
 * The rows of a website in the order of time; those of one millisecond are in the order of their chunks, and within a chunk
 * in that in which they were logged. A merge that passes over a chunk changes that order, and a removal how many they
 * are: a piece ends between two milliseconds, so that it goes on at the same place whatever happened meanwhile.
 */
import type { ExportPlace } from "../../core/questions/exported.ts";
import { rowsByKey } from "../../store/columns/columns.ts";
import { firstFrom } from "../../store/chunks/first-from.ts";
import { emptyRowFlags } from "../../store/columns/row-flag.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";

/** The rows of a chunk by their times, and the place of the next one. */
interface Cursor {
  readonly chunk: Chunk;
  /** The rows by time; undefined if they are in this order. */
  readonly order: Uint32Array | undefined;
  at: number;
  /** The time of the next row; Infinity behind the last one. */
  nextMs: number;
}

/** A piece may end within a millisecond that has more rows than this, as those do that were imported with days for times. */
const togetherMax = 1_024;

/** Receives a row; returns whether it wants another. Those of the same millisecond come all the same, but after "stop". */
export type TakeRow = (chunk: Chunk, row: number, timeMs: number) => boolean | "stop";

/** Passes the rows from a place on up to `endMs`, inclusive; returns the place of the next one, undefined for the end. */
export function eachRow(
  site: ReadSite,
  from: ExportPlace,
  endMs: number,
  take: TakeRow,
): ExportPlace | undefined {
  const startOf = ({ minMs }: Chunk) => Math.max(minMs, from.timeMs);
  const waiting = [...site.chunks.values()]
    .filter(({ rows, minMs, maxMs }) => rows > 0 && maxMs >= from.timeMs && minMs <= endMs)
    .sort((a, b) => startOf(a) - startOf(b));
  const active: Cursor[] = [];
  let place = { timeMs: from.timeMs, rows: 0 };
  let isEnough = false;
  for (let begun = 0; ;) {
    const least = leastOf(active);
    const next = waiting[begun];
    if (next !== undefined && startOf(next) <= (least?.nextMs ?? Infinity)) {
      begun++;
      const cursor = cursorAt(next, from.timeMs);
      if (cursor.nextMs < Infinity) active.push(cursor);
      continue;
    }
    if (least === undefined || least.nextMs > endMs) return undefined;
    const { chunk, nextMs, order, at } = least;
    if (isEnough && nextMs !== place.timeMs) return { timeMs: nextMs, rows: 0 };
    const row = order?.[at] ?? at;
    advance(least);
    if (least.nextMs === Infinity) active.splice(active.indexOf(least), 1);
    if (nextMs === place.timeMs) place.rows++;
    else place = { timeMs: nextMs, rows: 1 };
    if (nextMs === from.timeMs && place.rows <= from.rows) continue;
    const wanted = chunk.flags[row] === emptyRowFlags || take(chunk, row, nextMs);
    if (wanted !== true) isEnough = true;
    if (wanted === "stop" || (isEnough && place.rows > togetherMax)) return place;
  }
}

function cursorAt(chunk: Chunk, fromMs: number): Cursor {
  const { sorted, rows, time, monthMs } = chunk;
  const order = sorted ? undefined : rowsByKey(time, rows);
  let at = sorted ? firstFrom(chunk, fromMs, 0, rows) : 0;
  if (order !== undefined) while (at < rows && time[order[at]!]! + monthMs < fromMs) at++;
  const cursor = { chunk, order, at: at - 1, nextMs: 0 };
  advance(cursor);
  return cursor;
}

function advance(cursor: Cursor): void {
  const { chunk, order } = cursor;
  const at = ++cursor.at;
  cursor.nextMs = at < chunk.rows ? chunk.monthMs + chunk.time[order?.[at] ?? at]! : Infinity;
}

function leastOf(cursors: readonly Cursor[]): Cursor | undefined {
  let least = cursors[0];
  for (const cursor of cursors) {
    const { nextMs, chunk } = least as Cursor;
    const isBefore = cursor.nextMs === nextMs && cursor.chunk.number < chunk.number;
    if (cursor.nextMs < nextMs || isBefore) least = cursor;
  }
  return least;
}
