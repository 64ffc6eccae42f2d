/**
 * Adds the page views of an access log. All page views of a visit are in one record, so what each is in its visit is
 * known when the record has been applied.
 */
import type { RecordOf } from "../../record/record.ts";
import type { Chunk } from "../columns/chunk.ts";
import { viewFlags, visitFlag } from "../columns/row-flag.ts";
import type { RowRef, Site } from "./site.ts";

interface Visit {
  readonly entry: RowRef;
  readonly exit: RowRef;
}

/** Adds the page views to the website, and seals the chunks that they have filled and that change no more. */
export function importLoads(site: Site, { timeMs, loads }: RecordOf<"import">): void {
  const full = new Set<Chunk>();
  const visits = new Map<number, Visit>();
  for (const load of loads) {
    const { visit = 0 } = load;
    const ref = site.addRow(load.timeMs, load.values, viewFlags(load.unique, load.seen), load);
    if (ref.chunk.full) full.add(ref.chunk);
    if (visit === 0) continue;
    visits.set(visit, withPageView(visits.get(visit), ref));
    site.lastVisit = Math.max(site.lastVisit, visit);
  }
  for (const chunk of full) if (chunk.isDoneBy(timeMs)) chunk.seal();
}

/** Returns the visit with one more page view, and marks the rows. */
function withPageView(visit: Visit | undefined, at: RowRef): Visit {
  if (visit === undefined) {
    at.chunk.markVisit(at.row, visitFlag.entry | visitFlag.exit);
    return { entry: at, exit: at };
  }
  const { entry, exit } = visit;
  entry.chunk.markVisit(entry.row, visitFlag.engaged);
  exit.chunk.markVisit(exit.row, 0, visitFlag.exit);
  at.chunk.markVisit(at.row, visitFlag.exit);
  return { entry, exit: at };
}
