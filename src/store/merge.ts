/**
 * Which chunks become one. Each import of hits of a month that is over, and each clock that was set back, begins another
 * chunk; those that are not full are merged, so that a month has about as few as its rows need.
 */
import { chunkPropertiesMax, chunkRowsMax, type Chunk, type ChunkHead } from "./chunk.ts";

/** What one checkpoint merges: a fraction of a second for its worker. */
const mergedRowsMax = 2 ** 20;

/**
 * Groups of two or more, each with room in one chunk. `isStored`: a chunk's columns are in a file of its own. What is not
 * full and takes no more rows is of a month that is over.
 */
export function chunksToMerge(chunks: Iterable<Chunk>, isStored: (chunk: Chunk) => boolean): Chunk[][] {
  const parts = [...chunks].filter((chunk) => chunk.sealed && !chunk.full && isStored(chunk));
  const groups: Chunk[][] = [];
  let rowsLeft = mergedRowsMax;
  for (const month of Map.groupBy(parts, ({ monthMs }) => monthMs).values())
    for (const group of neighbours(month)) {
      const rows = rowsOf(group);
      if (group.length < 2 || rows > rowsLeft) continue;
      groups.push(group);
      rowsLeft -= rows;
    }
  return groups;
}

/** What is known of the chunk that some become, without its columns. It has the least of their numbers. */
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

/** In the order of their times, as many in one group as have room in it. */
function neighbours(chunks: readonly Chunk[]): Chunk[][] {
  const groups: Chunk[][] = [];
  for (const chunk of chunks.toSorted((a, b) => a.minMs - b.minMs || a.number - b.number)) {
    const last = groups.at(-1);
    if (last !== undefined && fitInOne([...last, chunk])) last.push(chunk);
    else groups.push([chunk]);
  }
  return groups;
}

function fitInOne(chunks: readonly Chunk[]): boolean {
  return rowsOf(chunks) <= chunkRowsMax && propertiesOf(chunks) <= chunkPropertiesMax;
}

function rowsOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { rows }) => sum + rows, 0);
}

function propertiesOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { properties }) => sum + properties, 0);
}
