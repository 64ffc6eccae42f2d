/** Counts visits by group: distinct visits, and what the first page views of visits say. */
import type { Target } from "../../core/goal.ts";
import { visitMetrics } from "../../core/metric.ts";
import type { ByVisit, Filter, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { rowFlag } from "../../store/columns/chunk.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedFlags, selectedVisits, type Block } from "../rows/block.ts";
import { isPropertyFilter } from "../rows/property-mask.ts";
import { visitSelected } from "../rows/select.ts";
import { visitsThatReached } from "../rows/targets.ts";
import type { VisitSet } from "../rows/visit-numbers.ts";
import { DistinctVisits } from "./distinct-visits.ts";
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

export class VisitCounts {
  /** By group: the number of distinct visits, where it is known without reading all rows. */
  private known: ArrayLike<number> | undefined;
  private readonly visits: DistinctVisits | undefined;
  private readonly conversions: Uint32Array;
  private readonly visitors: DistinctVisits | undefined;

  /** `ends`: undefined if no bounces are asked for; `reached`: the visits that reached the goal. */
  private constructor(
    groups: number,
    private readonly needs: Needs,
    private readonly ends: VisitEnds | undefined,
    private readonly reached: VisitSet | undefined,
  ) {
    const distinct = (isNeeded: boolean) => (isNeeded ? new DistinctVisits(groups) : undefined);
    this.visits = distinct(needs.visits);
    this.conversions = new Uint32Array(reached === undefined ? 0 : groups);
    this.visitors = distinct(needs.visitors !== undefined);
  }

  /** Counts the selected visits of the website. Throws Cancelled. */
  static of(
    site: SiteWithFacts,
    query: Selection & ByVisit,
    needs: Needs,
    by: VisitGroups,
    context: QueryContext,
  ): VisitCounts {
    const ends = needs.bounces ? VisitEnds.of(site, query, by, context) : undefined;
    const reached = needs.goal && visitsThatReached(site, needs.goal, query.period, context);
    const counts = new VisitCounts(by.groups, needs, ends, reached);
    if (needs.visits && needs.goal === undefined && query.filters.length === 0)
      counts.known = by.visits?.(site, context);
    if ((needs.visits && counts.known === undefined) || needs.visitors !== undefined)
      visitSelected(site, query, context, (block) => counts.addBlock(block, by.groupsOf(block)));
    return counts;
  }

  /** Returns the visits of a group, or of all groups together. */
  visitsOf(group: number): number {
    return (this.known ?? this.visits?.counts)?.[group] ?? 0;
  }

  get visitsOfAll(): number {
    return this.visits?.all ?? 0;
  }

  /** Returns the visits of a group that reached the goal. */
  conversionsOf(group: number): number {
    return this.conversions[group] ?? 0;
  }

  /** Returns the visitors of a group; undefined if they are those of hits. */
  visitorsOf(group: number): number | undefined {
    return this.visitors?.counts[group];
  }

  get visitorsOfAll(): number | undefined {
    return this.visitors?.all;
  }

  /** Returns the measures of a bounce percentage; undefined if it is that of hits. */
  bouncesOf(group: number): { readonly uniqueKnown: number; readonly bounced: number } | undefined {
    return this.ends && { uniqueKnown: this.ends.over[group]!, bounced: this.ends.bounced[group]! };
  }

  private addBlock(block: Block, groups: Uint32Array): void {
    const visits = selectedVisits(block);
    if (this.visits !== undefined)
      for (let at = 0; at < block.count; at++)
        if (this.visits.add(visits[at]!, groups[at]!) && this.reached?.has(visits[at]!) === true)
          this.conversions[groups[at]!]!++;
    if (this.visitors === undefined) return;
    const flags = selectedFlags(block);
    const all = this.needs.visitors === "all";
    for (let at = 0; at < block.count; at++) {
      if (!all && (flags[at]! & rowFlag.first) === 0) continue;
      this.visitors.add(visits[at]!, groups[at]!);
    }
  }
}
