/**
 * The known durations of the selected rows of a chunk in their order. Of a chunk that takes no more hits they are sorted
 * once for all questions.
 */
import { chunkRowsMax, rowFlag } from "../store/chunk.ts";
import { sortDurations, type SortedDurations } from "../store/sorted-durations.ts";
import type { Block } from "./block.ts";
import { isWhole, type RowRange } from "./range.ts";
import { blocksIn, type Sieve } from "./select.ts";
import type { Work } from "./work.ts";

/** One more place, which the last row may write to. */
const scratch = new Uint32Array(chunkRowsMax + 1);

/** Those of the rows of a range that all filters let through. */
export function durationsIn(range: RowRange, sieve: Sieve, work: Work): SortedDurations {
  const { chunk, takesHits } = range;
  const read = () => sortDurations(known(blocksIn(range, sieve, work)));
  if (takesHits || !isWhole(range)) return read();
  return work.derived.getAlways(chunk, chunk.version, `durations ${sieve.key}`, 2 * chunk.rows, () => {
    const value = read();
    return { value, bytes: value.ends.byteLength + value.low.byteLength };
  });
}

/** In scratch, until the next call. */
function known(blocks: Iterable<Block>): Uint32Array {
  let count = 0;
  for (const block of blocks) count = addKnown(block, count);
  return scratch.subarray(0, count);
}

function addKnown({ chunk: { flags, duration }, start, rows, count }: Block, first: number): number {
  let place = first;
  for (let at = 0; at < count; at++) {
    const row = start + (rows[at] as number);
    scratch[place] = duration[row] as number;
    place += ((flags[row] as number) & rowFlag.timed) / rowFlag.timed;
  }
  return place;
}
