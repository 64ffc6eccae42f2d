/**
 * Counts by group where visits begin and end: what their first page views say, and their last ones so far. Sums of
 * facts stand for the rows of sealed chunks, whose visits are all over; the rest comes from rows.
 */
import { dayMs } from "../../core/hit.ts";
import type { ByVisit, Period, Selection } from "../../core/questions/query.ts";
import type { Target } from "../../core/website/goal.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import type { Rollup } from "../../facts/entries.ts";
import { quarterMs, quarterVisits, type Quarters } from "../../facts/quarters.ts";
import { visitFlag, visitFlagsMax, visitPart, visitParts } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedVisitFlags, selectedVisits, type Block, type GroupsOf } from "../rows/block.ts";
import {
  factsAndRows,
  partsOf,
  type Division,
  type FactsPart,
  type MonthPart,
  type RowsPart,
} from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import type { VisitSet } from "../rows/visit-numbers.ts";
import { visitsUnderWay } from "../rows/visits-since.ts";
import type { DistinctVisits } from "./distinct/distinct-visits.ts";
import { addSpanConversions, addValueConversions } from "./month-conversions.ts";
import { chunkRollup } from "../counts/chunk-rollup.ts";
import { monthRollups } from "../counts/month-rollups.ts";
import { placesOf, quartersOf } from "../counts/span-totals.ts";
import { spanVisits } from "./span-visits.ts";
import type { ValueGroups } from "./value-groups.ts";
import { valueVisits } from "./value-visits.ts";
import type { VisitDetail, VisitTally } from "./visit-tally.ts";

/** Divides the visits of a question into groups. */
export interface VisitGroups {
  readonly groups: number;
  readonly groupsOf: GroupsOf;
  /** The units of facts that it can use, as `factsAndRows` takes them. */
  readonly unitMs: number;
  readonly division?: Division;
  /** Adds the facts of a part, and returns how many numbers they were; undefined if there are none. */
  readonly addFacts: (site: SiteWithFacts, part: FactsPart, ends: VisitEnds) => number | undefined;
  /** Adds the facts of months without rows, and returns how many numbers they were. */
  readonly addMonths: (parts: readonly MonthPart[], ends: VisitEnds, context: QueryContext) => number;
  /** Adds the visits of months without rows that reached a goal. */
  readonly addMonthConversions: (
    target: Target,
    period: Period,
    distinct: DistinctVisits,
    context: QueryContext,
  ) => void;
  /** Returns the visits by group where nothing is filtered. */
  readonly visits: (period: Period, detail: VisitDetail, context: QueryContext) => VisitTally;
}

/** Groups visits by the value that a row has. */
export function groupsOfValues(values: ValueGroups): VisitGroups {
  const { groups, of, groupOf, groupsOf, isExact } = values;
  const addFacts = (site: SiteWithFacts, part: FactsPart, ends: VisitEnds) => {
    const rollup = chunkRollup(site, part, of);
    return rollup && addRollup(rollup, partsOf(part), ends);
  };
  const addRollup = (rollup: Rollup, parts: readonly [first: number, end: number], ends: VisitEnds) => {
    const [from, to] = parts.map((at) => (at === 0 ? 0 : rollup.ends[at - 1]!)) as [number, number];
    ends.addEntries(rollup, groupOf, from, to);
    return to - from;
  };
  return {
    groups,
    groupsOf,
    unitMs: dayMs,
    addFacts,
    addMonths: (parts, ends, context) =>
      monthRollups(parts, of, context).reduce(
        (sum, { rollup, first, end }) => sum + addRollup(rollup, [first, end], ends),
        0,
      ),
    addMonthConversions: (target, period, distinct, context) => {
      const months = addValueConversions(target, values, period, distinct, context);
      if (months > 0 && !isExact) context.isApproximate = true;
    },
    visits: (period, detail, context) => valueVisits(period, values, detail, context),
  };
}

/** Groups visits by span of time; `edgesMs` as `spanTotals` takes them. */
export function groupsOfSpans(edgesMs: readonly number[], groupsOf: GroupsOf): VisitGroups {
  const addFacts = (_: SiteWithFacts, part: FactsPart, ends: VisitEnds) =>
    addQuarters(part, part.facts.quarters(), ends);
  const addQuarters = (part: FactsPart | MonthPart, quarters: Quarters, ends: VisitEnds) => {
    const [first, end] = placesOf(part, quarters);
    ends.add(part.span, quarters.visits, end * quarterVisits, first * quarterVisits);
    return 1;
  };
  return {
    groups: edgesMs.length - 1,
    groupsOf,
    unitMs: quarterMs,
    division: { edgesMs },
    addFacts,
    addMonths: (parts, ends, context) =>
      parts.reduce((sum, part) => sum + addQuarters(part, quartersOf(part, context), ends), 0),
    addMonthConversions: (target, _, distinct, context) =>
      addSpanConversions(target, edgesMs, distinct, context),
    visits: (_, detail, context) => spanVisits(edgesMs, groupsOf, detail, context),
  };
}

/** Marks the first row of a visit that is not over, in the counts below: no row has this flag without `entry`. */
const going = visitFlag.engaged;
const { entry, exit, engaged } = visitFlag;

export class VisitEnds {
  /** By group, then by flags: the number of rows. */
  private readonly cells: Uint32Array;

  /** `underWay`: the visits that are not over. */
  private constructor(
    groups: number,
    private readonly underWay: VisitSet,
  ) {
    this.cells = new Uint32Array(groups * visitFlagsMax);
  }

  /** Returns counts that are all 0. */
  static none(
    { nowMs = Infinity }: Pick<ByVisit, "nowMs">,
    groups: number,
    context: QueryContext,
  ): VisitEnds {
    return new VisitEnds(groups, visitsUnderWay(nowMs, context));
  }

  /** Counts the selected visits of the website. Throws Cancelled. */
  static of(
    query: Selection & Pick<ByVisit, "nowMs">,
    { groups, groupsOf, unitMs, division, addFacts, addMonths }: VisitGroups,
    context: QueryContext,
  ): VisitEnds {
    const { site } = context;
    const ends = VisitEnds.none(query, groups, context);
    const { facts, rows, months } = factsAndRows(site, query, unitMs, division);
    context.factsAdded += addMonths(months, ends, context);
    const left: RowsPart[] = [...rows];
    for (const part of facts) {
      const added = addFacts(site, part, ends);
      if (added === undefined) left.push(part);
      else context.factsAdded += added;
    }
    visitLeft(left, query.filters, context, (block) => ends.addBlock(block, groupsOf(block)));
    return ends;
  }

  /** Returns the visits that begin in a group. */
  entries(group: number): number {
    return this.over(group) + this.sum(group, going, going | exit);
  }

  /** Returns those of them that are over. */
  over(group: number): number {
    return this.bounced(group) + this.sum(group, entry | engaged, entry | engaged | exit);
  }

  /** Returns those of these that bounced. */
  bounced(group: number): number {
    return this.sum(group, entry, entry | exit);
  }

  /** Returns the visits that end in a group, so far. */
  exits(group: number): number {
    return this.sum(group, exit, going | exit) + this.sum(group, entry | exit, entry | engaged | exit);
  }

  /** Adds the numbers of each `visitPart` from `at` on, less those from `before` on. */
  add(group: number, visits: Uint32Array, at: number, before: number): void {
    const of = (part: number) => visits[at + part]! - visits[before + part]!;
    const first = group * visitFlagsMax;
    this.cells[first + entry]! += of(visitPart.bounced);
    this.cells[first + (entry | engaged)]! += of(visitPart.entries) - of(visitPart.bounced);
    this.cells[first + exit]! += of(visitPart.exits);
  }

  /** Adds the entries of a rollup from `from` up to `to`. `groupOf`: the group of each of its ids. */
  addEntries({ ids, visits }: Rollup, groupOf: Uint32Array, from: number, to: number): void {
    const { cells } = this;
    // The loop below is: for each entry, the numbers of its `visitPart`s are added to groupOf[ids[entry]].
    for (let at = from; at < to; at++) {
      const part = at * visitParts;
      const first = groupOf[ids[at]!]! * visitFlagsMax;
      const bounced = visits[part + visitPart.bounced]!;
      cells[first + entry]! += bounced;
      cells[first + (entry | engaged)]! += visits[part + visitPart.entries]! - bounced;
      cells[first + exit]! += visits[part + visitPart.exits]!;
    }
  }

  private sum(group: number, some: number, others: number): number {
    const first = group * visitFlagsMax;
    return this.cells[first + some]! + this.cells[first + others]!;
  }

  addRows(group: number, flags: number, rows: number): void {
    this.cells[group * visitFlagsMax + flags]! += rows;
  }

  /** Takes rows that were added to a group by their flags for what they are if their visits are under way. */
  moveUnderWay(group: number, { chunk, start, rows }: Block, from: number, to: number): void {
    if (this.underWay.size === 0 || chunk.sealed) return;
    const { visit, visitFlags } = chunk;
    for (let at = from; at < to; at++) {
      const row = start + rows[at]!;
      const own = visitFlags[row]!;
      if (!this.isGoing(own, visit[row]!)) continue;
      this.addRows(group, own, -1);
      this.addRows(group, (own & exit) | going, 1);
    }
  }

  private isGoing(flags: number, visit: number): boolean {
    return (flags & entry) !== 0 && this.underWay.has(visit);
  }

  /** Adds a block of rows. `groups`: by selected row. Only rows of a chunk that changes may be of visits under way. */
  addBlock(block: Block, groups: Uint32Array): void {
    const { cells, underWay } = this;
    const { chunk, start, rows, count } = block;
    if (chunk.sealed || underWay.size === 0)
      return addFlags(cells, groups, chunk.visitFlags, start, rows, count);
    const [visits, flags] = [selectedVisits(block), selectedVisitFlags(block)];
    for (let at = 0; at < count; at++) {
      const isGoing = this.isGoing(flags[at]!, visits[at]!);
      this.addRows(groups[at]!, isGoing ? (flags[at]! & exit) | going : flags[at]!, 1);
    }
  }
}

function addFlags(
  cells: Uint32Array,
  groups: Uint32Array,
  flags: Uint8Array,
  start: number,
  rows: Uint32Array,
  count: number,
): void {
  // The loop below is: for each selected row, cells[its group][its flags] += 1.
  for (let at = 0; at < count; at++) {
    const cell = (Math.imul(groups[at]!, visitFlagsMax) + flags[(start + rows[at]!) | 0]!) | 0;
    cells[cell] = (cells[cell]! + 1) | 0;
  }
}
