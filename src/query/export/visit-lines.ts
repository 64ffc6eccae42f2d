/** Lines of visits that begin with a page view: each at the time of this page view, with all that came after it in the visit. */
import type { ExportPlace } from "../../core/questions/exported.ts";
import { visitSpanMsMax } from "../../core/hit.ts";
import type { ExportQuery } from "../../core/questions/query.ts";
import { rowFlag, visitFlag } from "../../store/columns/row-flag.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { RowRef } from "../../store/state/row-ref.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { lineFormats } from "./line-format.ts";
import { eachRow } from "./row-order.ts";
import { RowTexts } from "./row-texts.ts";

/** A piece ends after this many visits, or rows. */
const visitsMax = 4_096;
const rowsMax = 65_536;

interface Visit {
  readonly entry: RowRef;
  readonly startMs: number;
  /** The page view that came last, which the list of exits counts. Hits that say their time may come out of its order. */
  exit: RowRef;
  endMs: number;
  pageViews: number;
  events: number;
  /** undefined while no time is known. */
  durationMs: number | undefined;
}

export function visitLines(
  { format: name, period }: ExportQuery,
  from: ExportPlace,
  context: QueryContext,
): { readonly text: string; readonly next: ExportPlace | undefined } {
  const { site } = context;
  const visits = new Map<number, Visit>();
  let [rows, lastMs] = [0, from.timeMs];
  const next = eachRow(site, from, period.endMs, (chunk, row, timeMs) => {
    rows++;
    if (chunk.visitFlags[row]! & visitFlag.entry) {
      const entry = { chunk, row };
      const none = { pageViews: 0, events: 0, durationMs: undefined };
      visits.set(chunk.visit[row]!, { entry, startMs: timeMs, exit: entry, endMs: timeMs, ...none });
      lastMs = timeMs;
    }
    return visits.size < visitsMax && rows < rowsMax;
  });
  context.throwIfCancelled();
  if (visits.size > 0) addRows(site, visits, lastMs);
  const format = lineFormats[name];
  const texts = new RowTexts(site, format);
  const fields = ["visit", "start", "end", "page_views", "events", "duration_ms", "is_bounce"];
  let text = "";
  for (const [number, visit] of visits) {
    const { entry, exit, startMs, endMs, pageViews, events, durationMs } = visit;
    const isBounce = (entry.chunk.visitFlags[entry.row]! & visitFlag.engaged) === 0;
    const [start, end] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()];
    texts.begin();
    const parts = [
      format.part(fields, [number, start, end, pageViews, events, durationMs, isBounce]),
      texts.of(entry.chunk, entry.row, "entry"),
      texts.pathAs("exit", exit.chunk, exit.row),
      texts.of(entry.chunk, entry.row, "origin", "client", "place"),
      texts.othersPart,
    ];
    text += format.line(parts.join(","));
  }
  return { text, next };
}

/** Adds what belongs to the visits, of which the last began at `lastMs`. */
function addRows(site: ReadSite, visits: ReadonlyMap<number, Visit>, lastMs: number): void {
  const [first] = visits.values() as Iterable<Visit>;
  // Rows that came after a visit's first page view may be of earlier.
  const from = { timeMs: (first as Visit).startMs - visitSpanMsMax, rows: 0 };
  const endMs = lastMs + visitSpanMsMax;
  eachRow(site, from, endMs, (chunk, row, timeMs) => {
    const visit = visits.get(chunk.visit[row]!);
    if (visit === undefined) return true;
    visit.endMs = Math.max(visit.endMs, timeMs);
    const flags = chunk.flags[row]!;
    if ((flags & rowFlag.bare) !== 0) return true;
    visit.pageViews++;
    // Without its exit, as after a removal of rows, the latest page view stands for it.
    if (isExit({ chunk, row }) || !isExit(visit.exit)) visit.exit = { chunk, row };
    if (flags & rowFlag.timed) visit.durationMs = (visit.durationMs ?? 0) + chunk.duration[row]!;
    return true;
  });
  for (const chunk of site.chunks.values()) {
    if (chunk.properties === 0 || chunk.maxMs < from.timeMs || chunk.minMs > endMs) continue;
    const { propertyRow, visit: visitOf, properties } = chunk;
    for (let index = 0; index < properties; index++) {
      const row = propertyRow[index]!;
      const visit = row === movedRow ? undefined : visits.get(visitOf[row]!);
      if (visit !== undefined) visit.events++;
    }
  }
}

function isExit({ chunk, row }: RowRef): boolean {
  return (chunk.visitFlags[row]! & visitFlag.exit) !== 0;
}
