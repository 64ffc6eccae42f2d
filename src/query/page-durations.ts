/**
 * The known durations of the selected rows of a chunk, side by side by page. Of a chunk that takes no more hits they
 * are put so once for all questions.
 */
import { chunkRowsMax, rowFlag } from "../store/chunk.ts";
import { byPage, type PageDurations } from "../store/page-durations.ts";
import { blockIds, wide, type Block } from "./block.ts";
import { isWhole, type RowRange } from "./range.ts";
import { blocksIn, type Sieve } from "./select.ts";
import type { Work } from "./work.ts";

// Scratch.
const paths = new Uint32Array(chunkRowsMax);
const durations = new Uint32Array(chunkRowsMax);

/**
 * undefined where they are not kept: then the rows are to be read. They are the largest of what is kept, and come
 * after all else. `pages`: more than the greatest path id.
 */
export function pageDurationsIn(
  range: RowRange,
  sieve: Sieve,
  pages: number,
  work: Work,
): PageDurations | undefined {
  const { chunk, takesHits } = range;
  const { derived } = work;
  if (takesHits || !isWhole(range)) return undefined;
  const key = `pages ${sieve.key}`;
  const known = derived.find<PageDurations>(chunk, chunk.version, key);
  // The rows of filters that nobody had before are soon found: they are put by page when somebody asks again.
  const isNew = sieve.key !== "" && !sieve.isKnown;
  if (known !== undefined || isNew || !derived.isRoomy) return known;
  let count = 0;
  for (const block of blocksIn(range, sieve, work)) count = addKnown(block, count);
  const found = byPage(paths.subarray(0, count), durations.subarray(0, count), pages);
  const { ids, ends, values } = found;
  derived.keep(chunk, chunk.version, key, found, ids.byteLength + ends.byteLength + values.byteLength);
  return found;
}

/** Those of one page in each of `finished` that has it; `page`: the path's id. */
export function partsOf(finished: readonly PageDurations[], page: number): Uint32Array[] {
  const parts: Uint32Array[] = [];
  for (const { ids, ends, values } of finished) {
    const part = placeOf(ids, page);
    if (part >= 0) parts.push(values.subarray(startOf(ends, part), ends[part]));
  }
  return parts;
}

/** How many durations of one page `finished` have. */
export function sizeOf(finished: readonly PageDurations[], page: number): number {
  let size = 0;
  for (const { ids, ends } of finished) {
    const part = placeOf(ids, page);
    if (part >= 0) size += (ends[part] as number) - startOf(ends, part);
  }
  return size;
}

/** The part of a page; -1 where it has none. */
function placeOf(ids: Uint32Array, page: number): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] as number) < page) low = middle + 1;
    else high = middle;
  }
  return ids[low] === page ? low : -1;
}

function startOf(ends: Uint32Array, part: number): number {
  return part === 0 ? 0 : (ends[part - 1] as number);
}

function addKnown(block: Block, first: number): number {
  const { flags, duration } = block.chunk;
  const { start, rows, count } = block;
  const ids = wide(blockIds(block, "path"), block);
  let place = first;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    if (((flags[start + row] as number) & rowFlag.timed) === 0) continue;
    paths[place] = ids[row] as number;
    durations[place] = duration[start + row] as number;
    place++;
  }
  return place;
}
