/**
 * Chooses the chunks to merge. The hits of a month come in chunks of 65,536 rows, and each import into a past month
 * begins another chunk. Once a month is over its chunks are merged, so that it has about as few as its rows need.
 * Answers are the same before and after, so no record of the log says that chunks were merged. A replay from an older
 * checkpoint finds the parts and merges them again.
 */
import type { Chunk } from "./chunk.ts";
import type { ChunkHead } from "./chunk-head.ts";
import { monthEndMs } from "./month.ts";

/** A merged chunk has at most this many rows. */
export const mergedRowsMax = 2 ** 20;
const mergedPropertiesMax = 4 * mergedRowsMax;
/** One checkpoint merges at most this many rows: about a second of its worker. */
export const rowsPerCheckpoint = 4 * mergedRowsMax;
/**
 * A merged chunk is at least this many times as large as the largest of its parts, so that a row is merged few times.
 */
const growthMin = 2;

/**
 * Returns groups of two or more chunks of one month, each small enough for one chunk. `isStored`: whether a chunk's
 * columns are in a file of its own. `nowMs`: the log's time, which decides which months are over. `rowsMax`: the limit
 * for all groups together.
 */
export function chunksToMerge(
  chunks: Iterable<Chunk>,
  isStored: (chunk: Chunk) => boolean,
  nowMs: number,
  rowsMax = rowsPerCheckpoint,
): Chunk[][] {
  const parts = [...chunks].filter(
    (chunk) => chunk.sealed && monthEndMs(chunk.monthMs) <= nowMs && isStored(chunk),
  );
  const groups: Chunk[][] = [];
  let rowsLeft = rowsMax;
  for (const month of Map.groupBy(parts, ({ monthMs }) => monthMs).values())
    for (const group of groupsOf(month)) {
      const rows = rowsOf(group);
      if (rows > rowsLeft) continue;
      groups.push(group);
      rowsLeft -= rows;
    }
  return groups;
}

/** Returns the head of the chunk that these chunks become. It has the least of their numbers. */
export function mergedHead(parts: readonly Chunk[]): ChunkHead {
  const [first] = parts as [Chunk];
  const least = (of: (chunk: Chunk) => number) => Math.min(...parts.map(of));
  const greatest = (of: (chunk: Chunk) => number) => Math.max(...parts.map(of));
  const bounds = [
    least(({ minMs }) => minMs),
    greatest(({ maxMs }) => maxMs),
    least(({ propertyMinMs }) => propertyMinMs),
    greatest(({ propertyMaxMs }) => propertyMaxMs),
  ];
  return {
    number: least(({ number }) => number),
    monthMs: first.monthMs,
    rows: rowsOf(parts),
    properties: parts.reduce((sum, { properties }) => sum + properties, 0),
    sorted: true,
    bounds: bounds.map((ms) => (Number.isFinite(ms) ? ms : null)),
  };
}

/**
 * Returns the head of the chunk that all rows of a month would make, however they lie in chunks; undefined if there are
 * none, or some may still change.
 */
export function headToReduce(
  { chunks }: { readonly chunks: ReadonlyMap<number, Chunk> },
  monthMs: number,
): ChunkHead | undefined {
  const parts = [...chunks.values()].filter((chunk) => chunk.monthMs === monthMs);
  return parts.length > 0 && parts.every(({ sealed }) => sealed) ? mergedHead(parts) : undefined;
}

/** Groups small chunks first, and among equal ones those that are next to each other in time. */
function groupsOf(month: readonly Chunk[]): Chunk[][] {
  const left = month.toSorted((a, b) => a.rows - b.rows || a.minMs - b.minMs || a.number - b.number);
  const groups: Chunk[][] = [];
  while (left.length > 1) {
    const count = groupAtStart(left);
    if (count > 1) groups.push(left.splice(0, count));
    else left.shift();
  }
  return groups;
}

/** Returns how many of the first chunks, which have the fewest rows, become one; 0 if they would not grow enough. */
function groupAtStart(chunks: readonly Chunk[]): number {
  let [count, rows, properties] = [0, 0, 0];
  for (const [at, chunk] of chunks.entries()) {
    rows += chunk.rows;
    properties += chunk.properties;
    if (rows > mergedRowsMax || properties > mergedPropertiesMax) break;
    if (rows >= growthMin * chunk.rows) count = at + 1;
  }
  return count;
}

function rowsOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { rows }) => sum + rows, 0);
}
