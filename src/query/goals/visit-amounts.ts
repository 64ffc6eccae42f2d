/**
 * Sums up the amounts of a goal by group: a visit's amounts count in each group that it has a row in, whichever of its hits
 * they came with.
 */
import type { Measures } from "../../core/questions/metric.ts";
import type { ByVisit, Period, Selection } from "../../core/questions/query.ts";
import { hasAmount, keyOfTarget, type Target } from "../../core/website/goal.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import type { QueryContext } from "../cache/context.ts";
import { keepVisits, selectedVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { keyOf } from "../rows/filters/mask.ts";
import { goalEvents } from "./goal-events.ts";
import { AmountsByVisit } from "./amounts-by-visit.ts";
import { touches } from "../rows/range.ts";
import { GroupsOfVisits } from "../rows/groups-of-visits.ts";

/** A sum of amounts; `amounts` is 0 if it is not known. */
export type AmountMeasures = Pick<Measures, "amount" | "amounts">;

export const unknownAmount: AmountMeasures = { amount: 0, amounts: 0 };

/** Returns the measures of a sum. Where a goal was reached and no number came with it, the amount is not 0, but unknown. */
export function measuresOfAmount(sum: ExactSum | undefined, isReached: boolean): AmountMeasures {
  if (sum === undefined || sum.isEmpty) return isReached ? unknownAmount : { amount: 0, amounts: 1 };
  return { amount: sum.value, amounts: 1 };
}

export class VisitAmounts {
  private readonly ofGroup = new Map<number, ExactSum>();
  private readonly seen = new GroupsOfVisits();

  private constructor(private readonly ofVisit: AmountsByVisit) {}

  /**
   * Reads the amounts of the goal in the period, whatever else is filtered but by a link. Returns undefined if it sums none
   * up, and where the period has months without rows: these know no amounts by value, and part of a sum would look like all
   * of it. Throws Cancelled.
   */
  static of(
    target: Target,
    { period, heldTo = [] }: Pick<Selection & ByVisit, "period" | "heldTo">,
    context: QueryContext,
  ): VisitAmounts | undefined {
    if (!hasAmount(target) || hasReducedMonth(context.site, period)) return undefined;
    const key = `amounts ${period.startMs} ${period.endMs} ${keyOfTarget(target)} ${keyOf(heldTo)}`;
    const read = () => AmountsByVisit.of([...goalEvents(target, { period, filters: heldTo }, context)]);
    return new VisitAmounts(context.once(key, read));
  }

  /** Adds the visits of a block's rows to their groups. */
  addBlock(block: Block, groupsOf: GroupsOf): void {
    const own = keepVisits(block, this.ofVisit.visits);
    if (own.count === 0) return;
    const [visits, groups] = [selectedVisits(own), groupsOf(own)];
    for (let at = 0; at < own.count; at++) this.addVisit(visits[at]!, groups[at]!);
  }

  /** Adds a visit to a group, once; nothing of one without an amount. */
  addVisit(visit: number, group: number): void {
    if (!this.ofVisit.visits.has(visit) || !this.seen.add(visit, group)) return;
    this.ofVisit.addTo(
      this.ofGroup.getOrInsertComputed(group, () => new ExactSum()),
      visit,
    );
  }

  /** `conversions`: how many visits of the group reached the goal. */
  of(group: number, conversions: number): AmountMeasures {
    return measuresOfAmount(this.ofGroup.get(group), conversions > 0);
  }
}

/** Whether the period has months without rows. */
export function hasReducedMonth({ reduced }: ReadSite, period: Period): boolean {
  return reduced.values().some((month) => touches(month, period));
}
