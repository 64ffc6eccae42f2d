/**
 * The known durations of the selected rows of a chunk, side by side by page. Of a chunk that takes no more hits they
 * are put so once for all questions: the quartiles of a few pages then need no row of the others.
 */
import { chunkRowsMax, rowFlag } from "../store/chunk.ts";
import { blockIds, wide, type Block } from "./block.ts";
import { isWhole, type RowRange } from "./range.ts";
import { blocksIn, type Sieve } from "./select.ts";
import type { Work } from "./work.ts";

export interface PageDurations {
  /** By part: the path's id. */
  readonly ids: Uint32Array;
  /** By part: where its durations end. */
  readonly ends: Uint32Array;
  /** Milliseconds, in no order within a part. */
  readonly values: Uint32Array;
}

// Scratch. `parts` has a path's part by its id, counted from 1, and is zeros when unused.
let parts = new Uint32Array(0);
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
  if (known !== undefined || !derived.isRoomy) return known;
  let count = 0;
  for (const block of blocksIn(range, sieve, work)) count = addKnown(block, count);
  const found = byPage(paths.subarray(0, count), durations.subarray(0, count), pages);
  const { ids, ends, values } = found;
  derived.keep(chunk, chunk.version, key, found, ids.byteLength + ends.byteLength + values.byteLength);
  return found;
}

/** `paths` and `durations` of the same rows; path ids are less than `pages`. */
export function byPage(paths: Uint32Array, durations: Uint32Array, pages: number): PageDurations {
  if (parts.length < pages) parts = new Uint32Array(2 ** Math.ceil(Math.log2(pages)));
  const ids: number[] = [];
  const sizes: number[] = [];
  for (let at = 0; at < paths.length; at++) {
    const id = paths[at] as number;
    const part = parts[id] as number;
    if (part > 0) sizes[part - 1] = (sizes[part - 1] as number) + 1;
    else {
      parts[id] = ids.push(id);
      sizes.push(1);
    }
  }
  // Where each part begins; once it is full, where it ends.
  const ends = new Uint32Array(ids.length);
  for (let part = 1; part < ends.length; part++)
    ends[part] = (ends[part - 1] as number) + (sizes[part - 1] as number);
  const values = new Uint32Array(paths.length);
  for (let at = 0; at < paths.length; at++) {
    const part = (parts[paths[at] as number] as number) - 1;
    const place = ends[part] as number;
    values[place] = durations[at] as number;
    ends[part] = place + 1;
  }
  for (const id of ids) parts[id] = 0;
  return { ids: Uint32Array.from(ids), ends, values };
}

function addKnown(block: Block, first: number): number {
  const { flags, duration } = block.chunk;
  const { start, rows, count } = block;
  const ids = wide(blockIds(block, "path"));
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
