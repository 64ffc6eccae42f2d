/**
 * Which rows of a question without filters are read, and which come from rollups: those of chunks that take no
 * more hits, where a period has the whole chunk, or whole UTC days of it.
 */
import type { Selection } from "../core/query.ts";
import type { Chunk } from "../store/chunk.ts";
import { dayEnds, rollUp, rollupBytes, rollupBytesMax, type Rollup } from "../store/rollup.ts";
import type { VisitorFlag } from "../store/row-class.ts";
import type { ReadSite } from "../store/read-site.ts";
import { isWhole, rangesOf, type RowRange } from "./range.ts";
import type { Work } from "./work.ts";

/** Stretches of a rollup, up to `endStretch`. */
export interface RollupPart {
  readonly rollup: Rollup;
  readonly firstStretch: number;
  readonly endStretch: number;
}

export interface Plan {
  readonly added: readonly RollupPart[];
  readonly read: readonly RowRange[];
}

/** `dimension`: its index. `visitor`: as the question counts them. */
export function planOf(
  site: ReadSite,
  { period, filters }: Selection,
  dimension: number,
  visitor: VisitorFlag,
  work: Work,
): Plan {
  if (filters.length > 0) return { added: [], read: [...rangesOf(site, period)] };
  const added: RollupPart[] = [];
  const read: RowRange[] = [];
  for (const range of rangesOf(site, period)) {
    const { chunk, takesHits } = range;
    const stretches = takesHits ? undefined : wholeStretches(range);
    const rollup = stretches && rollupOf(site, chunk, dimension, visitor, stretches, work);
    if (stretches === undefined || rollup === undefined) read.push(range);
    else {
      const { rowEnds, first, end } = stretches;
      added.push({ rollup, firstStretch: first, endStretch: end });
      read.push({ ...range, to: startOf(rowEnds, first) }, { ...range, from: startOf(rowEnds, end) });
    }
  }
  return { added, read };
}

/** Unique visitors of a part. */
export function uniqueOf({ rollup, firstStretch, endStretch }: RollupPart): number {
  return rollup.unique.subarray(firstStretch, endStretch).reduce((sum, unique) => sum + unique, 0);
}

interface Stretches {
  readonly unit: "chunk" | "day";
  readonly rowEnds: Uint32Array;
  readonly first: number;
  readonly end: number;
}

/** The whole chunk, or the days of which the range has every row. */
function wholeStretches(range: RowRange): Stretches | undefined {
  const { chunk, from, to, period } = range;
  if (period !== undefined || from === to) return undefined;
  if (isWhole(range)) return { unit: "chunk", rowEnds: Uint32Array.of(chunk.rows), first: 0, end: 1 };
  const rowEnds = dayEnds(chunk);
  const first = rowEnds.findIndex((_, day) => startOf(rowEnds, day) >= from);
  const end = rowEnds.findLastIndex((rowEnd) => rowEnd <= to) + 1;
  return first >= 0 && first < end ? { unit: "day", rowEnds, first, end } : undefined;
}

/** The first row of a stretch; of the one after the last, the end of the last. */
function startOf(rowEnds: Uint32Array, stretch: number): number {
  return stretch === 0 ? 0 : (rowEnds[stretch - 1] as number);
}

function rollupOf(
  site: ReadSite,
  chunk: Chunk,
  dimension: number,
  visitor: VisitorFlag,
  { unit, rowEnds }: Stretches,
  work: Work,
): Rollup | undefined {
  return work.derived.get(
    chunk,
    chunk.version,
    `rollup ${dimension} ${visitor} ${unit}`,
    rollupBytesMax(chunk),
    () => {
      work.rowsRead += chunk.rows;
      const value = rollUp(site, chunk, dimension, visitor, rowEnds);
      return { value, bytes: value === undefined ? 0 : rollupBytes(value) };
    },
  );
}
