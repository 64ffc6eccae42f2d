/** Adds up what visits of a month reached, for the sections of its goals (goal-sections.ts). */
import { columnNames } from "../../core/questions/dimension.ts";
import { keyOfTarget } from "../../core/website/goal.ts";
import { extent } from "../../lib/extent.ts";
import { gapsOf, packed } from "../../lib/packing/packed-columns.ts";
import { jsonSection, type Section } from "../../snapshot/section.ts";
import type { Chunk } from "../../store/chunks/chunk.ts";
import { monthEndMs } from "../../store/chunks/month.ts";
import { visitFlag } from "../../store/columns/row-flag.ts";
import type { ReadSite } from "../../store/mirror/read-site.ts";
import { quarterMs } from "../quarters.ts";
import { listedValues, type ListedValues } from "../rollup.ts";
import {
  convertedVisits,
  type Converted,
  type GoalReaches,
  type KeptGoals,
  type RowAt,
} from "./converted.ts";
import {
  amountColumns,
  conversionsName,
  crossingsName,
  goalsName,
  goalTimes,
  isOfBoth,
  packedGoalValues,
  patternBit,
  quartersName,
  type GoalValues,
} from "./sections/goal-sections.ts";
import { totalsSection } from "./goal-totals.ts";

/** `later`: the chunks that have the first rows of the next month. */
export function goalSections(
  site: ReadSite,
  { targets, compile }: KeptGoals,
  month: Chunk,
  later: readonly Chunk[],
): Section[] {
  if (targets.length === 0) return [];
  const converted = convertedVisits(compile(site, targets), targets.length, month, later);
  const endMs = monthEndMs(month.monthMs);
  const lists = columnNames.flatMap((column) => listedValues(site, column));
  const path = lists.find(({ column }) => column === "path") as ListedValues;
  const pages = (of: "entries" | "exits") => ({
    ...path,
    of,
    flag: visitFlag[of === "entries" ? "entry" : "exit"],
  });
  const byTime = converted.goals.flatMap((goal, at) => [
    { name: quartersName(at), data: quartersOf(goal, converted.visits, endMs) },
    { name: crossingsName(at), data: crossingsOf(goal, converted.visits, endMs) },
  ]);
  return [
    jsonSection(goalsName, targets.map(keyOfTarget)),
    totalsSection(targets.length, byTime),
    ...byTime,
    ...[...lists, pages("entries"), pages("exits")].map((own) => ({
      name: conversionsName(own.of),
      data: packedGoalValues(valuesOf(converted, own, endMs)),
    })),
  ];
}

function quarterOf(ms: number): number {
  return Math.floor(ms / quarterMs);
}

/** Returns the quarters of the `goalTime`s of a visit; undefined if it has no reach. `reaches`: their times. */
function timesOf(rows: readonly RowAt[], reaches: readonly number[]): number[] | undefined {
  if (rows.length === 0 || reaches.length === 0) return undefined;
  // Strangers may give a visit very many rows.
  const [first, last] = extent(rows.map(({ ms }) => ms));
  const [from, to] = extent(reaches);
  return [first, from, to, last].map(quarterOf);
}

function quartersOf(goal: GoalReaches, visits: Converted["visits"], endMs: number): Uint8Array {
  const width = goalTimes + 1 + amountColumns;
  const byQuarter = new Map<number, number[]>();
  const add = (quarter: number, column: number, added: number) => {
    const sums = byQuarter.getOrInsertComputed(quarter, () => Array.from({ length: width }, () => 0));
    sums[column]! += added;
  };
  for (const [visit, reaches] of goal.byVisit) {
    const times = timesOf(visits.get(visit)?.rows ?? [], own(reaches, endMs));
    times?.forEach((quarter, time) => add(quarter, time, 1));
  }
  for (const ms of goal.times) add(quarterOf(ms), goalTimes, 1);
  addAmounts(goal, add);
  const entries = [...byQuarter].sort(([a], [b]) => a - b);
  const numbers = Uint32Array.from(entries, ([quarter]) => quarter);
  // A sum of numbers that strangers send may be too great for a number.
  const column = (at: number) =>
    Float64Array.from(entries, ([, sums]) => Math.min(sums[at]!, Number.MAX_VALUE));
  return packed([
    gapsOf(numbers, Uint32Array.of(numbers.length)),
    ...Array.from({ length: width }, (_, at) => column(at)),
  ]);
}

/** Columns have no numbers below 0: gains and losses are apart. */
function addAmounts(
  { amounts }: GoalReaches,
  add: (quarter: number, column: number, added: number) => void,
): void {
  for (const [ms, { sums }] of amounts)
    sums.forEach((sum, part) => add(quarterOf(ms), goalTimes + 1 + part + (sum < 0 ? 2 : 0), Math.abs(sum)));
}

function crossingsOf({ byVisit }: GoalReaches, visits: Converted["visits"], endMs: number): Uint8Array {
  const entries = Array.from(byVisit, ([visit, reaches]) => {
    const { rows = [], later = [] } = visits.get(visit) ?? {};
    if (rows.length === 0 || later.length === 0) return [];
    const reachesLater = reaches.filter((ms) => ms >= endMs);
    return [...placesOf(rows, own(reaches, endMs)), ...placesOf(later, reachesLater)];
  }).filter(({ length }) => length > 0);
  return packed(
    Array.from({ length: 2 * goalTimes }, (_, at) => Uint32Array.from(entries, (entry) => entry[at]!)),
  );
}

/** Returns the quarters of the `goalTime`s, counted from 1, and 0 for reaches where there is none. */
function placesOf(rows: readonly RowAt[], reaches: readonly number[]): number[] {
  const [first, ...rest] = timesOf(rows, reaches.length > 0 ? reaches : [0]) as number[];
  const [from, to, last] = rest as [number, number, number];
  return [first! + 1, ...(reaches.length > 0 ? [from + 1, to + 1] : [0, 0]), last + 1];
}

/** Returns the times before the end of the month. */
function own(reaches: readonly number[], endMs: number): number[] {
  return reaches.filter((ms) => ms < endMs);
}

/** `flag`: only rows with it count. */
type Listed = Omit<ListedValues, "of"> & { readonly flag?: number };

function valuesOf({ visits, goals }: Converted, values: Listed, endMs: number): GoalValues[] {
  return goals.map((goal) => {
    const inMonth = new Map<number, number>();
    const crossing = new Map<string, number>();
    for (const [visit, reaches] of goal.byVisit) {
      const { rows = [], later = [] } = visits.get(visit) ?? {};
      const patterns = new Map<number, number>();
      for (const row of [...rows, ...later])
        for (const value of valueOf(values, row))
          patterns.set(value, (patterns.get(value) ?? 0) | patternBit(row.ms, endMs, false));
      const reached = reaches.reduce((bits, ms) => bits | patternBit(ms, endMs, true), 0);
      for (const [value, bits] of patterns) {
        const pattern = bits | reached;
        if (isOfBoth(pattern)) inMonth.set(value, (inMonth.get(value) ?? 0) + 1);
        if (rows.length === 0 || later.length === 0) continue;
        const key = `${value} ${pattern}`;
        crossing.set(key, (crossing.get(key) ?? 0) + 1);
      }
    }
    const entries = rising(inMonth);
    const crossings = [...crossing].map(([key, count]) => [...key.split(" ").map(Number), count]);
    return {
      ids: Uint32Array.from(entries, ([id]) => id),
      visits: Uint32Array.from(entries, ([, count]) => count),
      crossingIds: Uint32Array.from(crossings, ([id]) => id!),
      patterns: Uint32Array.from(crossings, ([, pattern]) => pattern!),
      crossingVisits: Uint32Array.from(crossings, ([, , count]) => count!),
    };
  });
}

function valueOf({ column, valueOf: ofId, flag }: Listed, { chunk, row }: RowAt): readonly number[] {
  if (flag !== undefined && (chunk.visitFlags[row]! & flag) === 0) return [];
  const id = chunk.ids[column].values[row]!;
  return [ofId === undefined ? id : ofId[id]!];
}

function rising(counts: ReadonlyMap<number, number>): (readonly [number, number])[] {
  return [...counts].sort(([a], [b]) => a - b);
}
