/**
 * Sums up the amounts of a goal by group: a visit's amounts count in each group that it has a row in, whichever of its hits
 * they came with. In memory it takes a sum for each visit that has an amount.
 */
import type { Measures } from "../../core/questions/metric.ts";
import type { ByVisit, Period, Selection } from "../../core/questions/query.ts";
import type { Target } from "../../core/website/goal.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepVisits, selectedVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { goalEvents } from "../rows/goal-events.ts";
import { VisitSet } from "../rows/visit-numbers.ts";
import { GroupsOfVisits } from "./groups-of-visits.ts";

/** A sum of amounts; `amounts` is 0 if it is not known. */
export type AmountMeasures = Pick<Measures, "amount" | "amounts">;

export const unknownAmount: AmountMeasures = { amount: 0, amounts: 0 };

/** Returns the measures of a sum. Where a goal was reached and no number came with it, the amount is not 0, but unknown. */
export function measuresOfAmount(sum: ExactSum | undefined, isReached: boolean): AmountMeasures {
  if (sum === undefined || sum.isEmpty) return isReached ? unknownAmount : { amount: 0, amounts: 1 };
  return { amount: sum.value, amounts: 1 };
}

/** Returns whether a goal sums up amounts. */
export function hasAmount(target: Target): boolean {
  return "event" in target && target.event.amount !== null;
}

type Asked = Pick<Selection & ByVisit, "period" | "heldTo">;

export class VisitAmounts {
  private readonly visits = new VisitSet();
  private readonly ofVisit = new Map<number, ExactSum>();
  private readonly ofGroup = new Map<number, ExactSum>();
  private readonly seen = new GroupsOfVisits();

  private constructor() {}

  /**
   * Reads the amounts of the goal in the period, whatever else is filtered but by a link. Returns undefined if it sums none
   * up, and where the period has months without rows: these know no amounts by value, and part of a sum would look like all
   * of it. Throws Cancelled.
   */
  static of(
    site: ReadSite,
    target: Target,
    { period, heldTo = [] }: Asked,
    context: QueryContext,
  ): VisitAmounts | undefined {
    if (!hasAmount(target) || hasReducedMonth(site, period)) return undefined;
    const amounts = new VisitAmounts();
    const selection = { period, filters: heldTo };
    for (const { chunk, amounts: own, amountRows } of goalEvents(site, target, selection, context))
      own.forEach((value, at) => amounts.addTo(chunk.visit[amountRows[at]!]!, value));
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

  /** `conversions`: how many visits of the group reached the goal. */
  of(group: number, conversions: number): AmountMeasures {
    return measuresOfAmount(this.ofGroup.get(group), conversions > 0);
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
