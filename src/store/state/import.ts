/**
 * Adds the page views of an access log or of an export. All page views of a visit are in one record, so what each is in its
 * visit is known when the record has been applied; the rows of an export of this program say it themselves.
 */
import { visibleMsMax, visitsOfBlock } from "../../core/hit.ts";
import { noPastProperties, type PastLoad, type RecordOf } from "../../record/record.ts";
import type { Chunk } from "../chunks/chunk.ts";
import { rowFlag, viewFlags, visitFlag, visitFlagsMax } from "../columns/row-flag.ts";
import type { RowRef } from "./row-ref.ts";
import type { Site } from "./site.ts";

interface Visit {
  readonly entry: RowRef;
  readonly exit: RowRef;
}
/** A visit that has had only events without a page view. */
const eventsOnly = "events";

/** Adds the page views to the website, and seals the chunks that they have filled and that change no more. */
export function importLoads(site: Site, { timeMs, loads, visitBlocks = [] }: RecordOf<"import">): void {
  const full = new Set<Chunk>();
  const visits = new Map<number, Visit | typeof eventsOnly>();
  const ofVisits: RowRef[] = [];
  for (const { first } of visitBlocks) site.lastVisit = Math.max(site.lastVisit, first + visitsOfBlock - 1);
  for (const load of loads) {
    const { visit = 0, visitFlags = null, isBare = false } = load;
    const flags = isBare ? rowFlag.bare : viewFlags(load.unique, load.seen);
    const ref = site.addRow(load.timeMs, load.values, flags, load);
    if (visit !== 0 && visitFlags === null) {
      const known = visits.get(visit);
      visits.set(visit, isBare ? withEvent(known) : withPageView(known, ref));
      site.lastVisit = Math.max(site.lastVisit, visit);
    }
    addRest(site, ref, load);
    if (visitFlags !== null) ref.chunk.markVisit(ref.row, visitFlags, visitFlagsMax - 1);
    if (visit !== 0) ofVisits.push(ref);
    if (ref.chunk.full) full.add(ref.chunk);
  }
  site.openVisits(timeMs).note(ofVisits, timeMs);
  for (const chunk of full) if (chunk.isDoneBy(timeMs)) chunk.seal();
}

/** Adds the time on the page and the properties. Mark the row in its visit first: both depend on these marks. */
function addRest(
  site: Site,
  ref: RowRef,
  { visibleMs = null, properties = noPastProperties, isBare }: PastLoad,
): void {
  if (visibleMs !== null) ref.chunk.addDuration(ref.row, Math.min(visibleMs, visibleMsMax));
  for (const own of properties) {
    site.addProperties(ref, own, own.timeMs);
    if (own.isEvent && !isBare) ref.chunk.markEvented(ref.row);
  }
}

/** Marks that a visit had an event without a page view. */
function withEvent(visit: Visit | typeof eventsOnly | undefined): Visit | typeof eventsOnly {
  if (visit === undefined || visit === eventsOnly) return eventsOnly;
  visit.entry.chunk.markVisit(visit.entry.row, visitFlag.engaged);
  return visit;
}

/** Returns the visit with one more page view, and marks the rows. */
function withPageView(visit: Visit | typeof eventsOnly | undefined, at: RowRef): Visit {
  if (visit === undefined || visit === eventsOnly) {
    const events = visit === eventsOnly ? visitFlag.engaged : 0;
    at.chunk.markVisit(at.row, visitFlag.entry | visitFlag.exit | events);
    return { entry: at, exit: at };
  }
  const { entry, exit } = visit;
  entry.chunk.markVisit(entry.row, visitFlag.engaged);
  exit.chunk.markVisit(exit.row, 0, visitFlag.exit);
  at.chunk.markVisit(at.row, visitFlag.exit);
  return { entry, exit: at };
}
