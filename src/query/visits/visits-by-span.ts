/** Counts the distinct visits of spans of time, from rows alone: a set of visits for each span. */
import type { Block } from "../rows/block.ts";
import { VisitSet } from "../rows/visit-numbers.ts";
import { visitRuns } from "../counts/span-totals.ts";

export class VisitsBySpan {
  private readonly sets: readonly VisitSet[];

  /** `edgesMs`: as `spanTotals` takes them. */
  constructor(private readonly edgesMs: readonly number[]) {
    this.sets = edgesMs.slice(1).map(() => new VisitSet());
  }

  /** Returns the number of distinct visits of a span. */
  of(span: number): number {
    return (this.sets[span] as VisitSet).size;
  }

  /** The number of distinct visits in all spans together. */
  get all(): number {
    return VisitSet.sizeOfAll(this.sets);
  }

  addBlock(block: Block): void {
    const { chunk, start, rows } = block;
    const { visit } = chunk;
    visitRuns(block, this.edgesMs, (span, from, to) =>
      (this.sets[span] as VisitSet).addRows(visit, start, rows, from, to),
    );
  }
}
