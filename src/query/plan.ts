/**
 * Which rows of a question without filters are read, and which come from rollups: those of months and chunks that take
 * no more hits, where a period has the whole of them, or whole UTC days of a chunk. Those that were made ahead are
 * taken; of other chunks they are made by the first question.
 */
import { assert } from "../lib/assert.ts";
import type { Selection } from "../core/query.ts";
import type { Unit } from "../store/aggregates.ts";
import { dayEnds, rollUp, rollupBytes, rollupBytesMax, visitorOf, type Rollup } from "../store/rollup.ts";
import type { VisitorFlag } from "../store/row-class.ts";
import type { ReadSite } from "../store/read-site.ts";
import { finishedIn } from "./finished.ts";
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
  assert(visitor === visitorOf(dimension), "rollups have the visitors of questions without filters");
  const { found, left } = finishedIn(site, { period, filters }, (aggregates) =>
    aggregates.rollup(dimension, "whole"),
  );
  const added: RollupPart[] = found.map((rollup) => ({ rollup, firstStretch: 0, endStretch: 1 }));
  const read: RowRange[] = [];
  for (const range of left) {
    const stretches = wholeStretches(range);
    const rollup = stretches && rollupOf(site, range, dimension, visitor, stretches, work);
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
  readonly unit: Unit;
  readonly rowEnds: Uint32Array;
  readonly first: number;
  readonly end: number;
}

/** The whole chunk, or the days of which the range has every row. */
function wholeStretches(range: RowRange): Stretches | undefined {
  const { chunk, from, to, period } = range;
  if (period !== undefined || from === to) return undefined;
  if (isWhole(range)) return { unit: "whole", rowEnds: Uint32Array.of(chunk.rows), first: 0, end: 1 };
  const rowEnds = dayEnds(chunk);
  const first = rowEnds.findIndex((_, day) => startOf(rowEnds, day) >= from);
  const end = rowEnds.findLastIndex((rowEnd) => rowEnd <= to) + 1;
  return first >= 0 && first < end ? { unit: "day", rowEnds, first, end } : undefined;
}

/** The first row of a stretch; of the one after the last, the end of the last. */
function startOf(rowEnds: Uint32Array, stretch: number): number {
  return stretch === 0 ? 0 : (rowEnds[stretch - 1] as number);
}

/** undefined where there is none, or none yet: rows that may still change are read. */
function rollupOf(
  site: ReadSite,
  { chunk, takesHits }: RowRange,
  dimension: number,
  visitor: VisitorFlag,
  { unit, rowEnds }: Stretches,
  work: Work,
): Rollup | undefined {
  const made = site.aggregates?.ofChunk(chunk);
  if (made !== undefined) return made.rollup(dimension, unit);
  if (takesHits) return undefined;
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
