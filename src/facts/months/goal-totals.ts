/**
 * The sums of goals in a whole month. Without them, the figures of a goal over years add up its quarters of an hour. Months
 * of earlier versions lack them, and are added up.
 *
 *   goal totals := of each goal: visits that reached it, those of them that go on in the next month, reaches; gains of
 *                  amounts, whole parts and millionths; losses
 */
import { packed, unpacked } from "../../lib/packing/packed-columns.ts";
import type { Section } from "../../snapshot/section.ts";
import { quarterMs } from "../quarters.ts";
import {
  crossingsName,
  goalTime,
  quartersName,
  unpackedGoalCrossings,
  unpackedGoalQuarters,
  type GoalQuarters,
} from "./sections/goal-sections.ts";

export const totalsName = "goal totals";

/** `sections`: those of the quarters and crossings of each goal among them. */
export function totalsSection(goals: number, sections: readonly Section[]): Section {
  const dataOf = (wanted: string) => sections.find(({ name }) => name === wanted)!.data;
  const rows = Array.from({ length: goals }, (_, goal) => {
    const { visitsBefore, events, wholes, parts } = unpackedGoalQuarters(dataOf(quartersName(goal)));
    const crossings = unpackedGoalCrossings(dataOf(crossingsName(goal))).length;
    const amounts = [wholes.at(-1)!, parts.at(-1)!];
    const gains = [...amounts, ...amounts.map((amount) => -amount)].map((amount) => Math.max(0, amount));
    return [visitsBefore(goalTime.first).at(-1)!, crossings, events.at(-1)!, ...gains];
  });
  const width = 7;
  return {
    name: totalsName,
    data: packed(Array.from({ length: width }, (_, at) => rows.map((row) => row[at]!))),
  };
}

/** By goal. */
export interface GoalTotals {
  readonly visits: Uint32Array;
  /** The visits of these that go on in the next month. */
  readonly crossings: Uint32Array;
  readonly events: Uint32Array;
  readonly wholes: Float64Array;
  readonly parts: Float64Array;
}

export function unpackedTotals(data: Uint8Array): GoalTotals {
  const [visits, crossings, events, ...amounts] = unpacked(data) as [Uint32Array, Uint32Array, Uint32Array];
  const balance = (at: number) =>
    Float64Array.from(visits, (_, goal) => amounts[at]![goal]! - amounts[at + 2]![goal]!);
  return { visits, crossings, events, wholes: balance(0), parts: balance(1) };
}

/** Returns all of the month that starts at `monthMs` as its first quarter of an hour. */
export function asOneQuarter(totals: GoalTotals, goal: number, monthMs: number): GoalQuarters {
  const visits = Uint32Array.of(0, totals.visits[goal]!);
  return {
    numbers: Uint32Array.of(monthMs / quarterMs),
    visitsBefore: () => visits,
    events: Uint32Array.of(0, totals.events[goal]!),
    wholes: Float64Array.of(0, totals.wholes[goal]!),
    parts: Float64Array.of(0, totals.parts[goal]!),
  };
}
