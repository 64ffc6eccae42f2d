/**
 * The sections of a reduced month about the goals that its website had when it was reduced: by quarter of an hour, how
 * many of the visits that reached a goal came, reached it and went; by value of each list, how many visits reached it.
 *
 *   goals            := JSON: the key of each goal (`keyOfTarget`)
 *   goal N quarters  := numbers (gaps), the four `goalTime`s, events; gains and losses of amounts: whole parts and
 *                       millionths of each. N counts from 0
 *   goal N crossings := the four `goalTime`s of a visit here, and in the next month: quarters, counted from 1; 0 where
 *                       there is none
 *   goals D          := of all goals: ends, ids (gaps), visits; ends, ids, patterns, visits
 *
 * A pattern describes visits that go on in the next month: on which days they have rows of the value, and on which they
 * reached the goal (`patternBit`). Each month has such a visit in its own sums as well.
 */
import { utcDay } from "../../../core/calendar/date.ts";
import { addGaps, gapsOf, packed, PackedColumns, unpacked } from "../../../lib/packing/packed-columns.ts";
import { lazyObject, once } from "../../../lib/lazy.ts";
import type { IdKind } from "../../../store/state/reduced-month.ts";
import type { RollupOf } from "../../facts.ts";
import { kindOf, nameOf, orderOf } from "./reduced-sections.ts";

/** Conversions are listed by the values of rows, and the pages that visits began and ended with. */
export type ConversionsOf = RollupOf | "entries" | "exits";

/** The times that are known of a visit that reached a goal: of its first and last row, and of its first and last reach. */
export const goalTime = { first: 0, firstReach: 1, lastReach: 2, last: 3 } as const;
export const goalTimes = 4;
export const amountColumns = 4;

export function conversionsName(of: ConversionsOf): string {
  return `goals ${of === "entries" || of === "exits" ? of : nameOf(of)}`;
}

export function kindOfConversions(of: ConversionsOf): IdKind {
  return of === "entries" || of === "exits" ? { dimension: 0 } : kindOf(of);
}

export const goalsName = "goals";

export function quartersName(goal: number): string {
  return `goal ${goal} quarters`;
}

export function crossingsName(goal: number): string {
  return `goal ${goal} crossings`;
}

/** By entry: the conversions of a goal by value in the month, and of visits that go on in the next one. */
export interface GoalValues {
  readonly ids: Uint32Array;
  readonly visits: Uint32Array;
  readonly crossingIds: Uint32Array;
  readonly patterns: Uint32Array;
  readonly crossingVisits: Uint32Array;
}

/** The days of the next month that a pattern tells apart; no visit of the month goes on for more. */
export const patternDays = 3;

/**
 * A pattern has two bits for the month, and two for each of the first days of the next: whether there are rows of the
 * value, and whether the goal was reached.
 */
export function patternBit(ms: number, endMs: number, isReach: boolean): number {
  const part = ms < endMs ? 0 : 1 + Math.min(patternDays - 1, utcDay(ms) - utcDay(endMs));
  return 1 << (2 * part + (isReach ? 1 : 0));
}

/** Whether the month has both rows of the value and reaches of the goal. */
export function isOfBoth(pattern: number): boolean {
  return (pattern & 3) === 3;
}

/** Packs the values of all goals. The ids of a goal need not rise: other ids of the website may have changed their order. */
export function packedGoalValues(goals: readonly GoalValues[]): Uint8Array {
  const column = (name: keyof GoalValues) => Uint32Array.from(goals.flatMap((goal) => [...goal[name]]));
  const endsOf = (name: keyof GoalValues) => {
    let end = 0;
    return Uint32Array.from(goals, (goal) => (end += goal[name].length));
  };
  const [ends, ids, visits] = [endsOf("ids"), column("ids"), column("visits")];
  const order = orderOf(ids, ends);
  const sorted = (column: Uint32Array) => column.map((_, at) => column[order[at]!]!);
  return packed([
    ends,
    gapsOf(sorted(ids), ends),
    sorted(visits),
    endsOf("crossingIds"),
    column("crossingIds"),
    column("patterns"),
    column("crossingVisits"),
  ]);
}

/** Returns the values of one goal, and decodes no others. */
export function unpackedGoalValues(data: Uint8Array, goal: number): GoalValues {
  const columns = new PackedColumns(data);
  const partOf = (endsColumn: number) => {
    const ends = columns.column(endsColumn);
    return (column: number) => columns.part(column, ends[goal - 1] ?? 0, ends[goal]!) as Uint32Array;
  };
  const [own, crossing] = [partOf(0), partOf(3)];
  const gaps = own(1);
  return {
    ids: addGaps(gaps, Uint32Array.of(gaps.length)),
    visits: own(2),
    crossingIds: crossing(4),
    patterns: crossing(5),
    crossingVisits: crossing(6),
  };
}

/**
 * The sums of a goal: by quarter of an hour that has any, those of all before it, and once more after the last. They are
 * read when they are first asked for: mostly few of them are.
 */
export interface GoalQuarters {
  /** The quarters, counted from 1970, rising. */
  readonly numbers: Uint32Array;
  /** Returns how many visits have a `goalTime` before. */
  readonly visitsBefore: (time: number) => Uint32Array;
  /** How often the goal was reached. */
  readonly events: Uint32Array;
  /** The sums of amounts: whole parts, and millionths. */
  readonly wholes: Float64Array;
  readonly parts: Float64Array;
}

/** `data`: the section of the quarters. */
export function unpackedGoalQuarters(data: Uint8Array): GoalQuarters {
  const columns = new PackedColumns(data);
  const sumsOf = (column: number) => {
    const sums = new Uint32Array(columns.lengthOf(column) + 1);
    columns.addTo(sums, column, { width: 1, at: 1 });
    for (let at = 1; at < sums.length; at++) sums[at]! += sums[at - 1]!;
    return sums;
  };
  const balances = (gains: number) => {
    const size = columns.lengthOf(gains) + 1;
    const [sums, losses] = [new Float64Array(size), new Float64Array(size)];
    columns.addTo(sums, gains, { width: 1, at: 1 });
    columns.addTo(losses, gains + 2, { width: 1, at: 1 });
    for (let at = 1; at < size; at++) sums[at] = sums[at - 1]! + sums[at]! - losses[at]!;
    return sums;
  };
  const visits = Array.from({ length: goalTimes }, (_, time) => once(() => sumsOf(1 + time)));
  const lazy = lazyObject<Omit<GoalQuarters, "visitsBefore">>({
    numbers: () => {
      const gaps = columns.column(0) as Uint32Array;
      return addGaps(gaps, Uint32Array.of(gaps.length));
    },
    events: () => sumsOf(1 + goalTimes),
    wholes: () => balances(2 + goalTimes),
    parts: () => balances(3 + goalTimes),
  });
  return Object.assign(lazy, { visitsBefore: (time: number) => visits[time]!() });
}

/** Returns by visit that goes on in the next month the `goalTime`s here and there, counted from 1; 0 for none. */
export function unpackedGoalCrossings(data: Uint8Array): readonly (readonly number[])[] {
  const columns = unpacked(data);
  return Array.from({ length: columns[0]!.length }, (_, at) => columns.map((column) => column[at]!));
}
