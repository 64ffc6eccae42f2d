/**
 * Visits that have rows of one value on several UTC days. Sums over days count them once a day; with these numbers, a sum
 * over any days counts them once.
 */
import { utcDay } from "../../../core/calendar/date.ts";
import { dayMs } from "../../../core/hit.ts";
import type { Chunk } from "../../../store/chunks/chunk.ts";
import type { ListedValues } from "../../rollup.ts";
import { rowsByVisit } from "../../visits.ts";

/** The days are counted from 1970. */
export interface Repeats {
  /** Value ids; 0 alone where all values count as one. */
  readonly ids: Uint32Array;
  /** A day on which visits have rows of the value, and the next such day, which may be of the next month. */
  readonly days: Uint32Array;
  readonly nextDays: Uint32Array;
  /** The number of these visits. */
  readonly visits: Uint32Array;
}

/** The rows, visit by visit, of the visits that have rows on several days. */
export interface SeveralDays {
  readonly parts: readonly (readonly { readonly chunk: Chunk; readonly row: number }[])[];
  /** The days that are counted: those of the month. */
  readonly firstDay: number;
  readonly endDay: number;
}

/** `later`: the chunks that have the first rows of the next month. */
export function severalDays(month: Chunk, later: readonly Chunk[], endMs: number): SeveralDays {
  const byVisit = new Map<number, { chunk: Chunk; row: number }[]>();
  const crossing = new Set<number>();
  for (const chunk of later)
    for (let row = 0; row < chunk.rows; row++)
      if (chunk.visit[row] !== 0 && timeOf(chunk, row) < endMs + 2 * dayMs) crossing.add(chunk.visit[row]!);
  const { rows } = rowsByVisit(month, 0, month.rows);
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const visit = month.visit[rows[from]!]!;
    while (to < rows.length && month.visit[rows[to]!] === visit) to++;
    const days = utcDay(timeOf(month, rows[from]!)) !== utcDay(timeOf(month, rows[to - 1]!));
    if (!days && !crossing.has(visit)) continue;
    byVisit.set(
      visit,
      Array.from(rows.subarray(from, to), (row) => ({ chunk: month, row })),
    );
  }
  for (const chunk of later)
    for (let row = 0; row < chunk.rows; row++) byVisit.get(chunk.visit[row]!)?.push({ chunk, row });
  return { parts: [...byVisit.values()], firstDay: utcDay(month.monthMs), endDay: utcDay(endMs) };
}

/** Returns the repeats of values; of all together without `values`. */
export function repeatsOf({ parts, firstDay, endDay }: SeveralDays, values?: ListedValues): Repeats {
  const found = new Map<string, number>();
  for (const rows of parts) {
    const daysOf = new Map<number, Set<number>>();
    for (const { chunk, row } of rows) {
      const id = values === undefined ? 0 : chunk.ids[values.column].values[row]!;
      const value = values?.valueOf === undefined ? id : values.valueOf[id]!;
      daysOf.getOrInsertComputed(value, () => new Set()).add(utcDay(timeOf(chunk, row)));
    }
    for (const [value, days] of daysOf) {
      const rising = [...days].sort((a, b) => a - b);
      for (let at = 1; at < rising.length; at++) {
        const day = rising[at - 1]!;
        if (day < firstDay || day >= endDay) continue;
        const key = `${value} ${day} ${rising[at]}`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
  }
  const entries = Array.from(found, ([key, visits]) => [...key.split(" ").map(Number), visits]);
  entries.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!);
  const column = (at: number) => Uint32Array.from(entries, (entry) => entry[at]!);
  return { ids: column(0), days: column(1), nextDays: column(2), visits: column(3) };
}

function timeOf(chunk: Chunk, row: number): number {
  return chunk.monthMs + chunk.time[row]!;
}
