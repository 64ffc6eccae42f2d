/** Counts visits by group: distinct visits, and what the first page views of visits say. */
import type { Target } from "../../core/website/goal.ts";
import { visitMetrics } from "../../core/named-metric.ts";
import type { ByVisit, Filter, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepFlagged, keepVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { isPropertyFilter } from "../rows/property-mask.ts";
import { visitSelected } from "../rows/select.ts";
import { visitsThatReached } from "../rows/targets.ts";
import { DistinctVisits } from "./distinct-visits.ts";
import { SharedVisits } from "./shared-visits.ts";
import { VisitEnds, type VisitGroups } from "./visit-ends.ts";

/** The visits that count as visitors under filters on paths or properties. */
type VisitorVisits = "firstViews" | "all";

interface Needs {
  /** Whether distinct visits are asked for. */
  readonly visits: boolean;
  /** Whether what the first page views of visits say is asked for. */
  readonly bounces: boolean;
  readonly visitors: VisitorVisits | undefined;
  readonly goal: Target | undefined;
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
  return isNeeded ? { visits, bounces, visitors, goal } : undefined;
}

/** Returns which visits are visitors; undefined if no filter on paths or properties stands. */
function visitorVisits(filters: readonly Filter[]): VisitorVisits | undefined {
  if (filters.some(isPropertyFilter)) return "all";
  return filters.some(({ name }) => name === "path") ? "firstViews" : undefined;
}

/** The numbers that are counted of visits; those that nobody asked for, or that are those of hits, are missing. */
export interface VisitMeasures {
  readonly visits: number;
  readonly conversions: number;
  readonly visitors?: number;
  /** Visits that begin here and are over. */
  readonly uniqueKnown?: number;
  readonly bounced?: number;
}

interface Counter {
  readonly distinct: DistinctVisits;
  readonly addBlock: (block: Block) => void;
}

export class VisitCounts {
  private visits: DistinctVisits | undefined;
  /** Those that reached the goal. */
  private converted: DistinctVisits | undefined;
  private visitors: DistinctVisits | undefined;

  /** `ends`: undefined if no bounces are asked for. */
  private constructor(
    private readonly groups: number,
    private readonly ends: VisitEnds | undefined,
  ) {}

  /** Counts the selected visits of the website. Throws Cancelled. */
  static of(
    site: SiteWithFacts,
    query: Selection & ByVisit,
    needs: Needs,
    by: VisitGroups,
    context: QueryContext,
  ): VisitCounts {
    const ends = needs.bounces ? VisitEnds.of(site, query, by, context) : undefined;
    const counts = new VisitCounts(by.groups, ends);
    if (needs.visits && query.filters.length === 0) counts.visits = by.visits?.(site, query.period, context);
    const readsVisits = needs.visits && counts.visits === undefined;
    if (!readsVisits && needs.goal === undefined && needs.visitors === undefined) return counts;
    const shared = SharedVisits.of(site, query.period);
    const countedBy = (narrowed: (block: Block) => Block): Counter => {
      const distinct = new DistinctVisits(by.groups, shared);
      return { distinct, addBlock: (block) => addTo(distinct, narrowed(block), by.groupsOf) };
    };
    const counters: Counter[] = [];
    if (readsVisits) counters.push(countedBy((block) => block));
    counts.visits ??= counters[0]?.distinct;
    if (needs.goal !== undefined) {
      const reached = visitsThatReached(site, needs.goal, query.period, context);
      const counter = countedBy((block) => keepVisits(block, reached));
      counts.converted = counter.distinct;
      counters.push(counter);
    }
    if (needs.visitors !== undefined) {
      const all = needs.visitors === "all";
      const counter = countedBy((block) => (all ? block : keepFlagged(block, rowFlag.first)));
      counts.visitors = counter.distinct;
      counters.push(counter);
    }
    visitSelected(site, query, context, (block) => {
      for (const { addBlock } of counters) addBlock(block);
    });
    return counts;
  }

  /** Returns the measures of a group. */
  of(group: number): VisitMeasures {
    const { visits, converted, visitors, ends } = this;
    return {
      visits: visits?.counts[group] ?? 0,
      conversions: converted?.counts[group] ?? 0,
      ...(visitors && { visitors: visitors.counts[group]! }),
      ...(ends && { uniqueKnown: ends.over(group), bounced: ends.bounced(group) }),
    };
  }

  /** The measures of all groups together. */
  get ofAll(): VisitMeasures {
    const { visits, converted, visitors, ends } = this;
    return {
      visits: visits?.all ?? 0,
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
    for (let group = 0; group < this.groups; group++) sum += of(group);
    return sum;
  }

  /** Returns the visitors of a group; undefined if they are those of hits. */
  visitorsOf(group: number): number | undefined {
    return this.visitors?.counts[group];
  }
}

/** Adds the rows of a block to their groups. */
function addTo(distinct: DistinctVisits, block: Block, groupsOf: GroupsOf): void {
  if (block.count > 0) distinct.addBlock(block, groupsOf(block));
}
