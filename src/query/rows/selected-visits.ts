/**
 * The distinct visits of a selection, chunk by chunk: those of a whole sealed chunk are cached as a set, so that asking
 * again joins sets and reads no rows.
 */
import type { Filter, Selection } from "../../core/questions/query.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepPageViews } from "./block.ts";
import { keyOf, pathMask, type Mask } from "./filters/mask.ts";
import { touches } from "./range.ts";
import { visitLeft } from "./select.ts";
import { VisitSet } from "./visit-numbers.ts";

/**
 * `page`: conditions on paths; with these, only page views for which all hold count. They are no filters: the rows that
 * meet them are not cached, which would take longer than reading them once. Throws Cancelled.
 */
export function distinctVisits(
  selection: Selection,
  context: QueryContext,
  page?: readonly Filter[],
): VisitSet {
  const all = new VisitSet();
  const key = `visits ${page && keyOf(page)} ${keyOf(selection.filters)}`;
  const paths = page && pathMask(page, context);
  for (const chunk of chunksIn(context.site, selection)) {
    const read = () => visitsIn(chunk, selection, context, paths);
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
  chunk: Chunk,
  { period, filters }: Selection,
  context: QueryContext,
  paths: Mask | undefined,
): VisitSet {
  const found = new VisitSet();
  visitLeft([{ chunk, period }], filters, context, (block) => {
    const own = paths === undefined ? block : keepPageViews(block, paths);
    found.addRows(own.chunk.visit, own.start, own.rows, own.count);
  });
  return found;
}
