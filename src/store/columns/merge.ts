/**
 * Which chunks become one. Hits of a month come in chunks of 65,536 rows, and each import of a month that is over begins
 * another chunk; once the month is over they are merged, so that it has about as few as its rows need.
 */
import { monthEndMs, type Chunk, type ChunkHead } from "./chunk.ts";

/** A merged chunk has at most so many rows and properties. */
export const mergedRowsMax = 2 ** 20;
export const mergedPropertiesMax = 4 * mergedRowsMax;
/** One checkpoint merges at most so many rows: about a second of its worker. */
export const rowsPerCheckpoint = 4 * mergedRowsMax;
/** A merge makes of its parts a chunk so many times as large as the largest of them: so a row is merged few times. */
const growthMin = 2;

/**
 * Returns groups of two or more chunks of one month, each with room in one chunk. `isStored`: a chunk's columns are in a
 * file of its own. `nowMs`: the log's time, which says what months are over. `rowsMax`: of all groups together.
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

/** Describes the chunk that some become, without its columns. It has the least of their numbers. */
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
    properties: propertiesOf(parts),
    sorted: true,
    bounds: bounds.map((ms) => (Number.isFinite(ms) ? ms : null)),
  };
}

/** Small ones go first, and among equals those that are next to each other in time. */
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

/** How many of the first chunks, which have the fewest rows, become one; 0 where they would not grow enough. */
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

function propertiesOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { properties }) => sum + properties, 0);
}
