/**
 * Bounds the time that answers take of the thread that takes hits: a tenth of it, and half a second at once. So whoever
 * asks about a small website again and again, be it a stranger with a link, delays no hits.
 */
import type { Question } from "../core/query.ts";
import type { Clock } from "../lib/clock.ts";
import type { Site } from "../store/state/site.ts";

/**
 * Questions about a website with at most this many rows take about a millisecond, and by visit with filters up to fifty:
 * mostly less than asking another thread costs.
 */
export const smallRowsDefault = 300_000;
/** A filter takes up to a microsecond for each value that it looks at, a thousand times what a row takes. */
const smallValuesMax = 30_000;
/** An answer takes its time, and as much is left to hits as this many. */
const timesLeft = 10;
const owedMsMax = 5_000;

export class OwnThread {
  /** When as much time has been left as what was answered owes, by the monotonic clock. */
  private paidMs = -Infinity;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Whether there is time for another answer. */
  get hasTime(): boolean {
    return this.paidMs - this.clock.monotonicMs() < owedMsMax;
  }

  /** Returns what `act` returns, and counts its time. */
  run<T>(act: () => T): T {
    const begunMs = this.clock.monotonicMs();
    try {
      return act();
    } finally {
      const tookMs = this.clock.monotonicMs() - begunMs;
      this.paidMs = Math.max(this.paidMs, begunMs) + tookMs * timesLeft;
    }
  }
}

/** Returns whether a question is asked in this thread, if there is time. `smallRows`: the most rows that it may be about. */
export function isSmall(site: Site, question: Question, smallRows: number): boolean {
  // A file that is damaged is compared with its checksum in the Worker.
  const isDamaged = site.chunks.values().some(({ basis }) => basis?.isDamaged === true);
  const rows = (site.rows + rowsOfMonths(site) || 1) * walksOf(question);
  return !isDamaged && rows <= smallRows && valuesOf(site, question) <= smallValuesMax;
}

/** How many values answering looks at: those of the list, and all that a filter may be about. */
function valuesOf({ dictionaries, propertyNames, propertyValues }: Site, { filters }: Question): number {
  const all = [...dictionaries, propertyNames, propertyValues];
  return all.reduce((sum, { size }) => sum + size, 0) * (1 + filters.length);
}

/** How many rows there were of which sums are read. */
function rowsOfMonths({ reduced }: Site): number {
  return reduced.values().reduce((sum, { rows }) => sum + rows, 0);
}

/** Drivers count more than ten lists, in several periods; an export makes texts of all rows. */
function walksOf({ list }: Question): number {
  if (list === "export") return Infinity;
  return list === "drivers" ? 10 : 1;
}
