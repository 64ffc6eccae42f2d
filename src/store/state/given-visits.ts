/**
 * Marks the visits of hits that say when they happened. Such hits come late, and many days may come at once, so that
 * `OpenVisits`, which knows the visits of now, does not have them: their rows are found by looking back through the
 * chunks that still change, where they stand near the end.
 */
import { visitSpanMsMax } from "../../core/hit.ts";
import type { Chunk } from "../chunks/chunk.ts";
import { rowFlag, visitFlag } from "../columns/row-flag.ts";
import type { RecordOf } from "../../record/record.ts";
import type { RowRef } from "./row-ref.ts";
import type { Site } from "./site.ts";

interface RowsSoFar {
  readonly entry: RowRef | undefined;
  readonly exit: RowRef | undefined;
  /** Whether it has events without a page view. */
  readonly hasEvents: boolean;
}

/** Marks the rows of a hit's visit. */
export interface VisitMarks {
  /** `at`: the row of the hit, which was added last. */
  addPageView(visit: number, timeMs: number, at: RowRef): void;
  /** Call it before the row of the event is added. */
  addEvent(visit: number, timeMs: number): void;
}

/** Returns what marks the rows of a hit's visit; undefined for none. Call it before the row of the hit is added. */
export function marksFor(
  site: Site,
  { timeMs, visit = 0, atMs = null }: RecordOf<"load" | "event">,
): VisitMarks | undefined {
  if (visit === 0) return undefined;
  return atMs === null ? site.visitsWith(visit, timeMs) : marksOf(givenVisit(site, visit, atMs));
}

/** Notes that a visit has a hit. Returns its rows so far; undefined if they change no more. */
function givenVisit(site: Site, visit: number, timeMs: number): RowsSoFar | undefined {
  // Numbers rise: one that is higher than all before begins a visit.
  if (visit > site.lastVisit) {
    site.lastVisit = visit;
    return { entry: undefined, exit: undefined, hasEvents: false };
  }
  const near = site.chunks
    .values()
    .filter(
      ({ sealed, minMs, maxMs }) =>
        !sealed && minMs - visitSpanMsMax <= timeMs && timeMs <= maxMs + visitSpanMsMax,
    );
  return rowsOf([...near].reverse(), visit);
}

function marksOf(visit: RowsSoFar | undefined): VisitMarks | undefined {
  if (visit === undefined) return undefined;
  const { entry, exit, hasEvents } = visit;
  const engage = () => entry?.chunk.markVisit(entry.row, visitFlag.engaged);
  return {
    addEvent: engage,
    addPageView: (_visit, _timeMs, { chunk, row }) => {
      engage();
      exit?.chunk.markVisit(exit.row, 0, visitFlag.exit);
      const asEntry = visitFlag.entry | (hasEvents ? visitFlag.engaged : 0);
      chunk.markVisit(row, visitFlag.exit | (entry === undefined ? asEntry : 0));
    },
  };
}

/** Returns undefined if the visit has no row in the chunks. */
function rowsOf(chunks: readonly Chunk[], visit: number): RowsSoFar | undefined {
  let [entry, exit]: (RowRef | undefined)[] = [];
  let hasEvents = false;
  for (const chunk of chunks) {
    const { visit: visits, visitFlags, flags } = chunk;
    for (let row = lastOf(visits, visit, chunk.rows); row >= 0; row = lastOf(visits, visit, row)) {
      const own = visitFlags[row]!;
      if (own & visitFlag.exit) exit ??= { chunk, row };
      if (own & visitFlag.entry) entry = { chunk, row };
      if (flags[row]! & rowFlag.bare) hasEvents = true;
      if (entry !== undefined && exit !== undefined) return { entry, exit, hasEvents };
    }
  }
  return entry === undefined && !hasEvents ? undefined : { entry, exit, hasEvents };
}

/** Returns the last of the first `count` rows that is of a visit; -1 for none. */
function lastOf(visits: Uint32Array, visit: number, count: number): number {
  return count === 0 ? -1 : visits.lastIndexOf(visit, count - 1);
}
