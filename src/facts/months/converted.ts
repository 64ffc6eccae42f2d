/**
 * Finds the visits of a month that reached goals, their rows in the month and, if they go on there, in the next one,
 * and when and how often each goal was reached. A goal is reached at the time of the row of its page view or event.
 */
import type { Target } from "../../core/website/goal.ts";
import { ExactSum } from "../../lib/exact-sum.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { rowFlag } from "../../store/columns/row-flag.ts";
import { movedRow } from "../../store/columns/columns.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { readEvents, type CompiledEvent } from "./read-events.ts";

/** Goals as the ids of the website that reach them. A mask has a byte for each id. */
export interface CompiledGoals {
  /** The paths whose page views reach some goal; undefined if every goal is an event. */
  readonly paths: Uint8Array | undefined;
  /** By id of a path: the indexes of the goals that its page views reach. */
  readonly ofPath: readonly (readonly number[])[];
  readonly events: readonly CompiledEvent[];
}

/** The goals that a month keeps the conversions of. `compile` looks them up among the ids of the website. */
export interface KeptGoals {
  readonly targets: readonly Target[];
  readonly compile: (site: ReadSite, targets: readonly Target[]) => CompiledGoals;
}

export interface RowAt {
  readonly chunk: Chunk;
  readonly row: number;
  readonly ms: number;
}

/** A visit that reached some goal, and has rows in the month. */
export interface ConvertedVisit {
  /** The rows of the visit in the month by time, and those in the next month. */
  readonly rows: readonly RowAt[];
  readonly later: readonly RowAt[];
}

export class GoalReaches {
  /** By visit: the times at which it reached the goal, in the month and in the next one. */
  readonly byVisit = new Map<number, number[]>();
  /** The times of all reaches in the month, also by no visit, and by time the amounts. */
  readonly times: number[] = [];
  readonly amounts = new Map<number, ExactSum>();
}

export interface Converted {
  readonly visits: ReadonlyMap<number, ConvertedVisit>;
  /** By index of the goal. */
  readonly goals: readonly GoalReaches[];
}

/** `later`: the chunks that have the first rows of the next month. */
export function convertedVisits(
  goals: CompiledGoals,
  count: number,
  month: Chunk,
  later: readonly Chunk[],
): Converted {
  const reaches = Array.from({ length: count }, () => new GoalReaches());
  for (const chunk of [month, ...later]) addReaches(chunk, goals, reaches, chunk === month);
  const reached = new Set(reaches.flatMap(({ byVisit }) => [...byVisit.keys()]));
  const visits = new Map<number, { rows: RowAt[]; later: RowAt[] }>();
  eachRowOf(reached, month, (visit, row) => {
    visits.getOrInsertComputed(visit, () => ({ rows: [], later: [] })).rows.push(row);
  });
  for (const chunk of later) eachRowOf(reached, chunk, (visit, row) => visits.get(visit)?.later.push(row));
  return { visits, goals: reaches };
}

function eachRowOf(
  visits: ReadonlySet<number>,
  chunk: Chunk,
  take: (visit: number, row: RowAt) => void,
): void {
  const { visit, rows } = chunk;
  for (let row = 0; row < rows; row++)
    if (visits.has(visit[row]!)) take(visit[row]!, { chunk, row, ms: timeOf(chunk, row) });
}

function addReaches(
  chunk: Chunk,
  { paths, ofPath, events }: CompiledGoals,
  goals: readonly GoalReaches[],
  isOwn: boolean,
): void {
  const add = (goal: GoalReaches, row: number) => {
    const [visit, ms] = [chunk.visit[row]!, timeOf(chunk, row)];
    if (isOwn) goal.times.push(ms);
    if (visit === 0) return;
    goal.byVisit.getOrInsertComputed(visit, () => []).push(ms);
  };
  if (paths !== undefined) {
    const ids = chunk.ids.path.values;
    for (let row = 0; row < chunk.rows; row++)
      if (paths[ids[row]!] === 1 && (chunk.flags[row]! & rowFlag.bare) === 0)
        for (const index of ofPath[ids[row]!]!) add(goals[index]!, row);
  }
  const indexes = ownProperties(chunk);
  for (const event of events) {
    const goal = goals[event.index]!;
    readEvents(chunk, indexes, event, {
      reached: (index) => add(goal, chunk.propertyRow[index]!),
      amount: (value, index) => {
        if (isOwn) addAmount(goal, timeOf(chunk, chunk.propertyRow[index]!), value);
      },
    });
  }
}

function addAmount({ amounts }: GoalReaches, ms: number, value: number): void {
  amounts.getOrInsertComputed(ms, () => new ExactSum()).add(value);
}

/** Returns the indexes of the properties that belong to a row. */
function ownProperties({ properties, propertyRow }: Chunk): Uint32Array {
  return Uint32Array.from({ length: properties }, (_, index) => index).filter(
    (index) => propertyRow[index] !== movedRow,
  );
}

function timeOf({ monthMs, time }: Chunk, row: number): number {
  return monthMs + time[row]!;
}
