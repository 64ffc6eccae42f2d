/** The sums of the amounts of visits: a hash table of 20 bytes a slot, at most half of which are taken. */
import { millionthsOf, type ExactSum } from "../../lib/exact-sum.ts";
import { scratch } from "../../lib/memory/scratch.ts";
import type { GoalEvents } from "./goal-events.ts";
import { slotOf, VisitSet } from "../rows/visit-numbers.ts";

const slotBytes = 20;

export class AmountsByVisit {
  /** The visits that have an amount. */
  readonly visits = new VisitSet();
  /** By slot, a power of two of them: the visit, 0 for none, and the sum of its amounts, whole parts and millionths. */
  private readonly slots: Uint32Array;
  private readonly wholes: Float64Array;
  private readonly parts: Float64Array;

  /** `visits`: how many there are at most. */
  private constructor(visits: number) {
    const length = 2 ** Math.ceil(Math.log2(Math.max(16, 2 * visits)));
    scratch.need(slotBytes * length);
    this.slots = new Uint32Array(length);
    this.wholes = new Float64Array(length);
    this.parts = new Float64Array(length);
  }

  static of(events: readonly GoalEvents[]): AmountsByVisit {
    const amounts = new AmountsByVisit(events.reduce((sum, own) => sum + own.amounts.length, 0));
    for (const { chunk, amounts: values, amountRows } of events)
      for (let at = 0; at < values.length; at++) amounts.add(chunk.visit[amountRows[at]!]!, values[at]!);
    return amounts;
  }

  /** Adds the amounts of a visit to a sum. */
  addTo(sum: ExactSum, visit: number): void {
    const slot = slotOf(this.slots, 1, visit);
    sum.addParts(this.wholes[slot]!, this.parts[slot]!, true);
  }

  private add(visit: number, value: number): void {
    if (visit === 0) return;
    const slot = slotOf(this.slots, 1, visit);
    this.slots[slot] = visit;
    this.visits.add(visit);
    const whole = Math.trunc(value);
    this.wholes[slot]! += whole;
    this.parts[slot]! += millionthsOf(value, whole);
  }
}
