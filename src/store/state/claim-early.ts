/** Gives a page view the hits that came before it: properties of its events move to its row, from another chunk perhaps. */
import { pageViewOpenMs } from "../../core/hit.ts";
import type { RecordOf } from "../../record/record.ts";
import type { Chunk } from "../chunks/chunk.ts";
import type { BareEarly, Early, EarlyHits } from "./early.ts";
import type { EventIds } from "./event-ids.ts";
import { timeOfHit } from "./hit-time.ts";
import { loadMsOf, type RowRef } from "./row-ref.ts";
import type { Site } from "./site.ts";

/** `ref`: the row of the page view. */
export function claimEarly(
  hits: EarlyHits,
  ids: EventIds,
  site: Site,
  ref: RowRef,
  { beacon, timeMs, atMs = null }: RecordOf<"load">,
): void {
  for (const early of hits.claim(beacon, site.websiteId, timeMs)) {
    if (isFarFrom(ref, early, site, atMs !== null)) continue;
    if (early.kind === "unload") ref.chunk.addDuration(ref.row, early.visibleMs);
    else if (early.kind === "event") {
      // Two of them may have the same id: only now their website is known.
      if (ids.has(early, site.websiteId)) {
        hits.onRefused(site.websiteId, "duplicate");
        continue;
      }
      ids.add(early, site.websiteId, timeMs);
      site.addProperties(ref, early, timeOfHit(ref, early.timeMs, early.isApart));
    } else if (!moveProperties(site.chunks.get(early.chunkNumber), early, ref)) continue;
    if (early.kind !== "unload") ref.chunk.markEvented(ref.row);
  }
}

/**
 * Moves properties to the chunk of their row; near the turn of a month they may have come to another chunk first.
 * Returns false if they stay: that chunk was sealed before the clock was set back, and may have been merged by now.
 */
function moveProperties(from: Chunk | undefined, { first, count, isApart }: BareEarly, ref: RowRef): boolean {
  if (from === undefined || from.sealed) return false;
  const { chunk, row } = ref;
  const timeMs = count === 0 ? 0 : timeOfHit(ref, from.propertyTimeMs(first), isApart);
  for (let index = first; index < first + count; index++) {
    const [name, value] = [from.propertyName[index]!, from.propertyValue[index]!];
    chunk.addProperty(row, name, value, timeMs, from.propertyNumber[index]);
    from.moveProperty(index);
  }
  return true;
}

/**
 * Whether an event and its load say that they happened more than a day apart: the event stays where it is. Without a time
 * that was given, both came within minutes.
 */
function isFarFrom(ref: RowRef, early: Early, { chunks }: Site, isGiven: boolean): boolean {
  if (early.kind === "unload") return false;
  const from = early.kind === "bare" ? chunks.get(early.chunkNumber) : undefined;
  const eventMs =
    early.kind === "bare" && from?.sealed === false ? from.propertyTimeMs(early.first) : early.timeMs;
  return (isGiven || eventMs !== early.timeMs) && Math.abs(eventMs - loadMsOf(ref)) > pageViewOpenMs;
}
