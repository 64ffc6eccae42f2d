/**
 * Makes the aggregates of a month from those of its chunks. A month may have millions of rows, and questions are answered
 * by the same thread: it is made in steps of some milliseconds each.
 */
import { assert } from "../lib/assert.ts";
import { dimensions } from "../core/dimension.ts";
import type { Section } from "../snapshot/section.ts";
import { chunksSection, eventsSection, rollupSection } from "./aggregate-sections.ts";
import type { Aggregates } from "./aggregates.ts";
import type { Chunk } from "./chunk.ts";
import { Entries } from "./entries.ts";
import { mergedPages } from "./month-pages.ts";
import { mergedQuarters } from "./month-quarters.ts";
import { addEvents, nameEvents } from "./name-events.ts";
import type { ReadDictionary, ReadSite } from "./read-site.ts";
import { addChunk, entriesMax, uniqueBy, visitorOf, type Rollup } from "./rollup.ts";

/**
 * Each `next` is one step; the last has the sections, to be seen by `viewMonthAggregates`. All chunks are of one
 * month and sealed; `of` is asked for those of each chunk several times.
 */
export function* monthAggregates(
  site: ReadSite,
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
): Generator<void, Section[]> {
  assert(
    chunks.every(({ sealed, monthMs }) => sealed && monthMs === chunks[0]?.monthMs),
    "the chunks of a month are sealed before they are added up",
  );
  const sections = [chunksSection(chunks.map(({ number }) => number))];
  for (const dimension of dimensions.keys()) {
    const rollup = yield* mergedRollup(site, chunks, of, dimension);
    if (rollup !== undefined) sections.push(rollupSection(dimension, "whole", rollup));
  }
  sections.push(...(yield* mergedQuarters(chunks[0]?.monthMs as number, chunks, of)));
  sections.push(yield* mergedPages(chunks, of, (site.dictionaries[0] as ReadDictionary).size));
  sections.push(yield* mergedEvents(site, chunks, of));
  return sections;
}

/** undefined where it would not be small against all rows. */
function* mergedRollup(
  site: ReadSite,
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
  dimension: number,
): Generator<void, Rollup | undefined> {
  const visitor = visitorOf(dimension);
  const entries = new Entries();
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  entries.begin((site.dictionaries[dimension] as ReadDictionary).size, entriesMax(rows));
  let unique = 0;
  for (const chunk of chunks) {
    const own = of(chunk).rollup(dimension, "whole");
    if (own === undefined) {
      // What has many values against the rows of a chunk may still have few against those of the month.
      addChunk(entries, site, chunk, dimension, visitor);
      unique += uniqueBy(chunk, Uint32Array.of(chunk.rows))[0] as number;
    } else {
      entries.addRollup(own);
      unique += own.unique[0] as number;
    }
    if (entries.isOver) return undefined;
    yield;
  }
  return { ends: Uint32Array.of(entries.size), unique: Uint32Array.of(unique), ...entries.own };
}

function* mergedEvents(
  site: ReadSite,
  chunks: readonly Chunk[],
  of: (chunk: Chunk) => Aggregates,
): Generator<void, Section> {
  const byName = new Uint32Array(site.propertyNames.size);
  for (const chunk of chunks) {
    addEvents(byName, of(chunk).events());
    yield;
  }
  return eventsSection(nameEvents(byName));
}
