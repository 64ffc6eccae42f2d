/**
 * Sums up the amounts of a goal by span of time, each where its hit was. They are those that the goal itself counts under the
 * filters of the question, so that all spans together have its amount.
 */
import type { ByVisit, Selection } from "../../core/questions/query.ts";
import { amountMetric } from "../../core/questions/metric.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import { hasAmount } from "../../core/website/goal.ts";
import { firstAtLeast } from "../../lib/search.ts";
import type { QueryContext } from "../cache/context.ts";
import { targetRows } from "../rows/filters/targets.ts";
import { goalEvents } from "../goals/goal-events.ts";
import { addSpanEvents } from "./month-conversions.ts";
import { measuresOfAmount, type AmountMeasures } from "../goals/visit-amounts.ts";

class SpanAmount {
  readonly amount = new ExactSum();
  events = 0;

  addAll({ amount, events }: SpanAmount): void {
    this.amount.addAll(amount);
    this.events += events;
  }

  measures(isReached: boolean): AmountMeasures {
    return measuresOfAmount(this.amount, isReached || this.events > 0);
  }
}

export class SpanAmounts {
  private readonly spans: readonly SpanAmount[];

  /** `isPartial`: whether visits may have reached the goal with hits that do not count. */
  private constructor(
    private readonly edgesMs: readonly number[],
    private readonly isPartial: boolean,
  ) {
    this.spans = Array.from({ length: edgesMs.length - 1 }, () => new SpanAmount());
  }

  /** `edgesMs` as `spanTotals` takes them. Returns undefined if no amounts are asked for, or known. Throws Cancelled. */
  static of(
    query: Selection & ByVisit,
    edgesMs: readonly number[],
    context: QueryContext,
  ): SpanAmounts | undefined {
    const { period, metrics, goal } = query;
    if (goal === undefined || !metrics?.includes(amountMetric) || !hasAmount(goal)) return undefined;
    const amounts = new SpanAmounts(
      edgesMs,
      (query.by === undefined ? query.filters : (query.heldTo ?? [])).length > 0,
    );
    const { filters, visits } = targetRows(query, context);
    for (const { chunk, rows, ...own } of goalEvents(goal, { period, filters }, context)) {
      const counts = (row: number) => visits?.has(chunk.visit[row]!) ?? true;
      const at = (row: number) => amounts.at(chunk.monthMs + chunk.time[row]!);
      for (const row of rows) if (counts(row)) at(row).events++;
      own.amountRows.forEach((row, index) => {
        if (counts(row)) at(row).amount.add(own.amounts[index]!);
      });
    }
    if (query.filters.length === 0) addSpanEvents(goal, edgesMs, amounts.spans, context);
    return amounts;
  }

  /** `conversions`: how many visits of the span reached the goal. */
  of(span: number, conversions = 0): AmountMeasures {
    return this.spans[span]!.measures(this.isPartial && conversions > 0);
  }

  /** Returns the measures of all spans together. */
  ofAll(conversions = 0): AmountMeasures {
    const all = new SpanAmount();
    for (const span of this.spans) all.addAll(span);
    return all.measures(this.isPartial && conversions > 0);
  }

  /** Returns the span that a time of the period is in. */
  private at(ms: number): SpanAmount {
    return this.spans[firstAtLeast(this.edgesMs, ms + 1) - 1]!;
  }
}
