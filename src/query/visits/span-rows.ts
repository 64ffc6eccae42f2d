/**
 * Counts the selected rows of spans of time, and their visits, where something is filtered: all that totals and charts
 * show of them, in one walk.
 */
import type { ByVisit, Selection } from "../../core/questions/query.ts";
import { isPageView, rowFlagsMax } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import type { CountRun } from "../counts/span-totals.ts";
import { visitorFlag } from "../counts/visitor.ts";
import type { Block } from "../rows/block.ts";
import { visitsThatReached } from "../rows/filters/targets.ts";
import type { VisitSet } from "../rows/visit-numbers.ts";
import { flagCells, FlaggedVisits, takeCells, type VisitSizes } from "./flagged-visits.ts";
import type { Needs, VisitMeasures } from "./visit-counts.ts";
import { VisitEnds } from "./visit-ends.ts";
import { unknownAmount } from "../goals/visit-amounts.ts";
import { OutsideViews } from "./visit-tally.ts";

const cells = flagCells();
const rowsOfFlags = new Int32Array(rowFlagsMax);

export class SpanRows {
  private readonly visits: readonly FlaggedVisits[];
  private readonly ends: VisitEnds;
  private readonly outside: OutsideViews;
  /** The visits that reached the goal, if there is one. */
  private readonly reached: VisitSet | undefined;

  /** `spans`: how many there are. Throws Cancelled. */
  constructor(
    private readonly query: Selection & ByVisit,
    private readonly needs: Needs,
    private readonly spans: number,
    context: QueryContext,
  ) {
    this.visits = Array.from({ length: spans }, () => new FlaggedVisits());
    this.ends = VisitEnds.none(query, spans, context);
    this.outside = new OutsideViews(spans);
    this.reached = needs.goal && visitsThatReached(needs.goal, query.period, context);
  }

  /** Counts a run of the rows of a span, their page views in `counts`. */
  readonly countRun: CountRun = (counts, span, block, from, to) => {
    const visits = this.visits[span]!;
    const totalMs = visits.addRun(block, from, to, cells);
    rowsOfFlags.fill(0);
    takeCells(cells, (flags, visitFlags, rows) => {
      rowsOfFlags[flags]! += rows;
      this.ends.addRows(span, visitFlags, rows);
    });
    counts.addFlags(span, rowsOfFlags, totalMs, visitorFlag(this.query.filters));
    this.ends.moveUnderWay(span, block, from, to);
    if (visits.takeStrays()) this.addOutside(span, block, from, to);
  };

  private addOutside(span: number, { chunk, start, rows }: Block, from: number, to: number): void {
    const { visit, flags, duration } = chunk;
    for (let at = from; at < to; at++) {
      const row = start + rows[at]!;
      if (visit[row] === 0) this.outside.add(span, isPageView(flags[row]!), duration[row]!);
    }
  }

  of(span: number): VisitMeasures {
    const { visits, outside, ends } = this;
    const sizes = visits[span]!.sizes(this.reached);
    return this.measures(sizes, outside.of(span), ends.over(span), ends.bounced(span));
  }

  /** The measures of all spans together. */
  get ofAll(): VisitMeasures {
    const { visits, outside, ends, spans } = this;
    const all = new FlaggedVisits();
    for (const own of visits) all.addAll(own);
    let [over, bounced] = [0, 0];
    for (let span = 0; span < spans; span++) {
      over += ends.over(span);
      bounced += ends.bounced(span);
    }
    return this.measures(all.sizes(this.reached), outside.all, over, bounced);
  }

  private measures(
    { all, timed, first, reached }: VisitSizes,
    outside: Pick<VisitMeasures, "outsideViews" | "outsideMs">,
    over: number,
    bounced: number,
  ): VisitMeasures {
    const { visitors, bounces } = this.needs;
    return {
      ...outside,
      visits: all,
      timedVisits: timed,
      conversions: reached,
      ...unknownAmount,
      ...(visitors && { visitors: visitors === "firstViews" ? first : all }),
      ...(bounces && { uniqueKnown: over, bounced }),
    };
  }
}
