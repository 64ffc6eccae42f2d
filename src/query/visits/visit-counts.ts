/**
 * Counts visits by group: distinct visits, and by their first page views how many began there, are over and bounced. Those
 * of spans of time, where something is filtered, are counted in span-rows.ts.
 */
import type { Target } from "../../core/website/goal.ts";
import { amountMetric, type Measures } from "../../core/questions/metric.ts";
import { visitMetrics } from "../../core/questions/named-metric.ts";
import type { ByVisit, Filter, Selection } from "../../core/questions/query.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { once } from "../../lib/lazy.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepFlagged, keepVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { linkedFirstViews } from "../rows/linked-rows.ts";
import { isPropertyFilter } from "../rows/filters/property-mask.ts";
import { visitSelected } from "../rows/select.ts";
import { chunksIn } from "../rows/selected-visits.ts";
import { visitsThatReached } from "../rows/filters/targets.ts";
import type { VisitSet } from "../rows/visit-numbers.ts";
import type { Counts } from "../counts/count.ts";
import { DistinctVisits } from "./distinct/distinct-visits.ts";
import { SharedVisits } from "./distinct/shared-visits.ts";
import { unknownAmount, VisitAmounts } from "../goals/visit-amounts.ts";
import { VisitEnds, type VisitGroups } from "./visit-ends.ts";
import { OutsideViews, visitDetail, VisitTally, type VisitDetail } from "./visit-tally.ts";

/** The visits that count as visitors under filters on paths or properties. */
type VisitorVisits = "firstViews" | "all";

/** Says what has to be counted of visits. */
export interface Needs {
  /** Whether distinct visits are asked for. */
  readonly visits: boolean;
  readonly detail: VisitDetail;
  /** Whether what the first page views of visits say is asked for. */
  readonly bounces: boolean;
  readonly visitors: VisitorVisits | undefined;
  readonly goal: Target | undefined;
  /** Whether its amounts are asked for. */
  readonly amounts: boolean;
}

/** Returns undefined for a question that no visit has to be counted for. `isBrief`: only visitors are asked for. */
export function visitNeeds(
  { filters, by, metrics, goal }: Selection & ByVisit,
  isBrief: boolean,
): Needs | undefined {
  const visits = goal !== undefined || (metrics?.some((name) => visitMetrics.has(name)) ?? false);
  const bounces = by === "visit" && !isBrief && (metrics?.includes("bounce_percentage") ?? true);
  const visitors = by === "visit" ? visitorVisits(filters) : undefined;
  const isNeeded = visits || bounces || visitors !== undefined;
  const amounts = metrics?.includes(amountMetric) ?? false;
  return isNeeded ? { visits, detail: visitDetail(metrics), bounces, visitors, goal, amounts } : undefined;
}

/** Returns which visits are visitors; undefined if no filter on paths or properties stands. */
function visitorVisits(filters: readonly Filter[]): VisitorVisits | undefined {
  if (filters.some(isPropertyFilter)) return "all";
  return filters.some(({ name }) => name === "path") ? "firstViews" : undefined;
}

/**
 * The numbers that are counted of visits. One is missing if nobody asked for it, or if the count of hits stands for it.
 */
export interface VisitMeasures extends Pick<
  Measures,
  "visits" | "timedVisits" | "outsideViews" | "outsideMs" | "conversions" | "amount" | "amounts"
> {
  readonly visitors?: number;
  /** Visits that begin here and are over. */
  readonly uniqueKnown?: number;
  readonly bounced?: number;
}

export const noVisits: VisitMeasures = {
  visits: 0,
  timedVisits: 0,
  outsideViews: 0,
  outsideMs: 0,
  conversions: 0,
  ...unknownAmount,
};

/** The distinct visits by group, and of all groups together. */
interface Distinct {
  of(group: number): number;
  readonly all: number;
}

/** Narrows a block to the rows that count. */
type Narrow = (block: Block) => Block;

const everyRow: Narrow = (block) => block;

export class VisitCounts {
  private visits: Distinct | undefined;
  /** The visits that a page view of the group times. */
  private timed: Distinct | undefined;
  private outside: OutsideViews | undefined;
  /** The visits that reached the goal. */
  private converted: Distinct | undefined;
  private amounts: VisitAmounts | undefined;
  private visitors: Distinct | undefined;
  /** Undefined if no bounces are asked for. */
  private ends: VisitEnds | undefined;
  /** They receive each block of selected rows. */
  private readonly readers: ((block: Block) => void)[] = [];
  private readonly shared: () => SharedVisits;

  private constructor(
    private readonly query: Selection & ByVisit,
    private readonly by: VisitGroups,
    context: QueryContext,
  ) {
    this.shared = once(() => SharedVisits.of(query.period, context));
  }

  /**
   * Counts the selected visits of the website, those that need rows in one walk. `firstViews`: counts of the same groups
   * whose visitors are first views, if there are any. Throws Cancelled.
   */
  static of(
    query: Selection & ByVisit,
    needs: Needs,
    by: VisitGroups,
    context: QueryContext,
    firstViews?: Counts,
  ): VisitCounts {
    const counts = new VisitCounts(query, by, context);
    if (needs.bounces) counts.ends = counts.endsOf(context);
    if (needs.visits) counts.countVisits(needs.detail, context);
    if (needs.goal !== undefined) {
      const reached = visitsThatReached(needs.goal, query.period, context);
      counts.converted = counts.convertedOf(needs.goal, reached, context);
      if (needs.amounts) counts.amounts = counts.amountsOf(needs.goal, context);
    }
    if (needs.visitors === "all") counts.visitors = counts.read(everyRow);
    else if (needs.visitors !== undefined) counts.visitors = counts.firstViewsOf(context, firstViews);
    const { readers } = counts;
    if (readers.length > 0)
      visitSelected(query, context, (block) => {
        for (const read of readers) read(block);
      });
    return counts;
  }

  private endsOf(context: QueryContext): VisitEnds {
    const { query, by, readers } = this;
    if (query.filters.length === 0) return VisitEnds.of(query, by, context);
    const ends = VisitEnds.none(query, by.groups, context);
    readers.push((block) => ends.addBlock(block, by.groupsOf(block)));
    return ends;
  }

  private countVisits(detail: VisitDetail, context: QueryContext): void {
    const { query, by } = this;
    const { visits, timed, outside } =
      query.filters.length > 0 ? this.tallyRows(detail) : by.visits(query.period, detail, context);
    Object.assign(this, { visits, timed, outside });
  }

  /** Returns what the walk over the selected rows is going to count. */
  private tallyRows(detail: VisitDetail): VisitTally {
    const { by, readers } = this;
    const tally = new VisitTally(by.groups, this.shared(), detail);
    readers.push((block) => tally.addBlock(block, by.groupsOf));
    return tally;
  }

  private convertedOf(goal: Target, reached: VisitSet, context: QueryContext): Distinct {
    const { query, by } = this;
    const visits = this.read((block) => keepVisits(block, reached));
    if (query.filters.length === 0) by.addMonthConversions(goal, query.period, visits, context);
    return visits;
  }

  private amountsOf(goal: Target, context: QueryContext): VisitAmounts | undefined {
    const { query, by, readers } = this;
    const amounts = VisitAmounts.of(goal, query, context);
    if (amounts !== undefined) readers.push((block) => amounts.addBlock(block, by.groupsOf));
    return amounts;
  }

  /**
   * Returns the visits with a first view of a page. By group, first views that were counted are taken, less those that
   * links (linked-rows.ts) show to be of a visit with an earlier one.
   */
  private firstViewsOf(context: QueryContext, firstViews: Counts | undefined): Distinct {
    const { query, by } = this;
    const visits = new DistinctVisits(by.groups, this.shared());
    if (firstViews === undefined) addFirstViews(query, by.groupsOf, visits, context);
    else
      for (let group = 0; group < by.groups; group++) visits.addFirstViews(group, firstViews.visitors(group));
    for (const chunk of chunksIn(context.site, query)) {
      visits.keepFirst(linkedFirstViews(chunk, query, context), by.groupsOf);
      const shared = this.shared().firstViewsIn(chunk, query, context);
      visits.addShared(shared.chunk, shared.rows, by.groupsOf);
    }
    return visits;
  }

  /** Returns the visits by group of the rows that `narrow` leaves; they are counted in the walk. */
  private read(narrow: Narrow): DistinctVisits {
    const { by, readers } = this;
    const visits = new DistinctVisits(by.groups, this.shared());
    readers.push((block) => {
      const narrowed = narrow(block);
      if (narrowed.count > 0) visits.addBlock(narrowed, by.groupsOf(narrowed));
    });
    return visits;
  }

  of(group: number): VisitMeasures {
    const { visits, timed, outside, converted, amounts, visitors, ends } = this;
    const conversions = converted?.of(group) ?? 0;
    return {
      ...noVisits,
      ...outside?.of(group),
      ...amounts?.of(group, conversions),
      visits: visits?.of(group) ?? 0,
      timedVisits: timed?.of(group) ?? 0,
      conversions,
      ...(visitors && { visitors: visitors.of(group) }),
      ...(ends && { uniqueKnown: ends.over(group), bounced: ends.bounced(group) }),
    };
  }

  /** The measures of all groups together. */
  get ofAll(): VisitMeasures {
    const { visits, timed, outside, converted, visitors, ends } = this;
    return {
      ...noVisits,
      ...outside?.all,
      visits: visits?.all ?? 0,
      timedVisits: timed?.all ?? 0,
      conversions: converted?.all ?? 0,
      ...(visitors && { visitors: visitors.all }),
      ...(ends && {
        uniqueKnown: this.sum((group) => ends.over(group)),
        bounced: this.sum((group) => ends.bounced(group)),
      }),
    };
  }

  private sum(of: (group: number) => number): number {
    let sum = 0;
    for (let group = 0; group < this.by.groups; group++) sum += of(group);
    return sum;
  }

  /** Returns the visitors of a group; undefined if they are those of hits. */
  visitorsOf(group: number): number | undefined {
    return this.visitors?.of(group);
  }
}

/** Adds the selected first views by group. */
function addFirstViews(
  query: Selection,
  groupsOf: GroupsOf,
  visits: DistinctVisits,
  context: QueryContext,
): void {
  visitSelected(query, context, (block) => {
    const views = keepFlagged(block, rowFlag.first);
    const groups = groupsOf(views);
    for (let at = 0; at < views.count; at++) visits.addFirstViews(groups[at]!, 1);
  });
}
