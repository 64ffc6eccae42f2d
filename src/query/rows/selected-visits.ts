/**
 * The distinct visits of a selection, chunk by chunk: those of a whole sealed chunk are cached as a set, so that asking
 * again joins sets and reads no rows.
 */
import type { Selection } from "../../core/query.ts";
import { rowFlag, type Chunk } from "../../store/columns/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedFlags, selectedVisits } from "./block.ts";
import { keyOf } from "./mask.ts";
import { touches } from "./range.ts";
import { visitLeft } from "./select.ts";
import { VisitSet } from "./visit-numbers.ts";

/** `pagesOnly`: whether events without a page view are left out. Throws Cancelled. */
export function distinctVisits(
  site: ReadSite,
  selection: Selection,
  context: QueryContext,
  pagesOnly = false,
): VisitSet {
  const all = new VisitSet();
  const key = `visits ${pagesOnly} ${keyOf(selection.filters)}`;
  for (const chunk of chunksIn(site, selection)) {
    const read = () => visitsIn(site, chunk, selection, context, pagesOnly);
    all.addAll(cachedOfWhole(chunk, selection, key, context, read, ({ bytes }) => bytes));
  }
  return all;
}

/** Returns the chunks that may have rows in the period. */
export function chunksIn(site: ReadSite, { period }: Pick<Selection, "period">): readonly Chunk[] {
  return [...site.chunks.values()].filter((chunk) => touches(chunk, period));
}

/** Returns what `make` makes of a chunk; for a sealed chunk that is in the period as a whole what it made before. */
export function cachedOfWhole<T>(
  chunk: Chunk,
  { period }: Pick<Selection, "period">,
  key: string,
  context: QueryContext,
  make: () => T,
  bytesOf: (made: T) => number,
): T {
  const isWhole = chunk.minMs >= period.startMs && chunk.maxMs <= period.endMs;
  if (!isWhole || !chunk.sealed) return make();
  return context.cache.getAlways<T>(chunk, chunk.version, key, 0, () => {
    const value = make();
    return { value, bytes: bytesOf(value) };
  });
}

function visitsIn(
  site: ReadSite,
  chunk: Chunk,
  { period, filters }: Selection,
  context: QueryContext,
  pagesOnly: boolean,
): VisitSet {
  const found = new VisitSet();
  visitLeft(site, [{ chunk, period }], filters, context, (block) => {
    const visits = selectedVisits(block);
    const flags = selectedFlags(block);
    for (let at = 0; at < block.count; at++)
      if (!pagesOnly || (flags[at]! & rowFlag.bare) === 0) found.add(visits[at]!);
  });
  return found;
}
