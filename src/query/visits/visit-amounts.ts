/**
 * Sums up the amounts of a goal by group: a visit's amounts count in each group that it has a row in, whichever of its hits
 * they came with. In memory it takes a sum for each visit that has an amount.
 */
import type { Period } from "../../core/questions/query.ts";
import type { Target } from "../../core/website/goal.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepVisits, selectedVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { compileTargets } from "../rows/filters/targets.ts";
import { readEvents } from "../rows/goal-events.ts";
import { SelectedProperties } from "../rows/selected-properties.ts";
import { VisitSet } from "../rows/visit-numbers.ts";
import { GroupsOfVisits } from "./groups-of-visits.ts";

/** The sum of a group; `amounts` is 0 if none of its visits has an amount. */
interface GroupAmount {
  readonly amount: number;
  readonly amounts: number;
}

export const noAmount: GroupAmount = { amount: 0, amounts: 0 };

export class VisitAmounts {
  private readonly visits = new VisitSet();
  private readonly ofVisit = new Map<number, ExactSum>();
  private readonly ofGroup = new Map<number, ExactSum>();
  private readonly seen = new GroupsOfVisits();

  private constructor() {}

  /**
   * Reads the amounts of the goal in the period, whatever else is filtered. There are none where the period has months
   * without rows: these know no amounts by value, and part of a sum would look like all of it. Throws Cancelled.
   */
  static of(site: ReadSite, target: Target, period: Period, context: QueryContext): VisitAmounts {
    const amounts = new VisitAmounts();
    if ("page" in target || target.event.amount === null || hasReducedMonth(site, period)) return amounts;
    const { events, names } = compileTargets(site, [target], context);
    const properties = new SelectedProperties(site, { period, filters: [] }, context);
    const amount = (value: number, visit: number) => amounts.addTo(visit, value);
    for (const chunk of properties.chunks)
      for (const event of events) readEvents(chunk, properties.of(chunk, names), event, { amount });
    return amounts;
  }

  /** Adds the visits of a block's rows to their groups. */
  addBlock(block: Block, groupsOf: GroupsOf): void {
    const own = keepVisits(block, this.visits);
    if (own.count === 0) return;
    const [visits, groups] = [selectedVisits(own), groupsOf(own)];
    for (let at = 0; at < own.count; at++) this.addVisit(visits[at]!, groups[at]!);
  }

  /** Adds a visit to a group, once. */
  addVisit(visit: number, group: number): void {
    const sum = this.ofVisit.get(visit);
    if (sum === undefined || !this.seen.add(visit, group)) return;
    sumOf(this.ofGroup, group).addAll(sum);
  }

  of(group: number): GroupAmount {
    const sum = this.ofGroup.get(group);
    return sum === undefined ? noAmount : { amount: sum.value, amounts: 1 };
  }

  private addTo(visit: number, value: number): void {
    if (visit === 0) return;
    this.visits.add(visit);
    sumOf(this.ofVisit, visit).add(value);
  }
}

function hasReducedMonth({ reduced }: ReadSite, { startMs, endMs }: Period): boolean {
  return reduced.values().some(({ minMs, maxMs }) => minMs <= endMs && maxMs >= startMs);
}

function sumOf(sums: Map<number, ExactSum>, key: number): ExactSum {
  const known = sums.get(key);
  if (known !== undefined) return known;
  const sum = new ExactSum();
  sums.set(key, sum);
  return sum;
}
