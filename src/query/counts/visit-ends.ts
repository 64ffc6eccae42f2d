/**
 * Counts by group where visits begin and end: what their first page views say, and their last ones so far. Sums of
 * facts stand for the rows of sealed chunks, whose visits are all over; the rest comes from rows.
 */
import { dayMs, visitPauseMs } from "../../core/hit.ts";
import type { ByVisit, Period, Selection } from "../../core/query.ts";
import type { SiteWithFacts } from "../../facts/facts.ts";
import { placeOf, quarterMs, quarterVisits } from "../../facts/quarters.ts";
import { visitFlag } from "../../store/columns/chunk.ts";
import { visitPart, visitParts } from "../../store/columns/row-flag.ts";
import type { QueryContext } from "../cache/context.ts";
import { selectedVisitFlags, selectedVisits, type Block, type GroupsOf } from "../rows/block.ts";
import { factsAndRows, type Division, type FactsPart, type RowsPart } from "../rows/facts-and-rows.ts";
import { visitLeft } from "../rows/select.ts";
import { visitsSince } from "../rows/visits-since.ts";
import type { DistinctVisits } from "./distinct-visits.ts";
import { partsOf } from "./page-counts.ts";
import { spanVisits } from "./span-visits.ts";
import { valueVisits, type ValueGroups } from "./value-visits.ts";

/** Divides the visits of a question into groups. */
export interface VisitGroups {
  readonly groups: number;
  readonly groupsOf: GroupsOf;
  /** The units of facts that it can use, as `factsAndRows` takes them. */
  readonly unitMs: number;
  readonly division?: Division;
  /** Adds the facts of a part, and returns how many numbers they were; undefined if there are none. */
  readonly addFacts: (part: FactsPart, ends: VisitEnds) => number | undefined;
  /** Returns the distinct visits by group where nothing is filtered; undefined if rows have to be read. */
  readonly visits?:
    ((site: SiteWithFacts, period: Period, context: QueryContext) => DistinctVisits | undefined) | undefined;
}

/**
 * Groups visits by the value that a row has. `isExact`: whether no visit has two values of one group, so that facts may
 * stand for its distinct visits.
 */
export function groupsOfValues(values: ValueGroups, isExact = false): VisitGroups {
  const { groups, of, groupOf, groupsOf } = values;
  const addFacts = (part: FactsPart, ends: VisitEnds) => {
    const rollup = part.facts.rollup(of, part.whole ? "whole" : "day");
    if (rollup === undefined) return undefined;
    const [first, end] = partsOf(part);
    const [from, to] = [first, end].map((at) => (at === 0 ? 0 : rollup.ends[at - 1]!)) as [number, number];
    for (let entry = from; entry < to; entry++)
      ends.add(groupOf[rollup.ids[entry]!]!, rollup.visits, entry * visitParts);
    return to - from;
  };
  const visits: VisitGroups["visits"] = (site, period, context) => valueVisits(site, period, values, context);
  return { groups, groupsOf, unitMs: dayMs, addFacts, visits: isExact ? visits : undefined };
}

/** Groups visits by span of time; `edgesMs` as `spanTotals` takes them. */
export function groupsOfSpans(edgesMs: readonly number[], groupsOf: GroupsOf): VisitGroups {
  const addFacts = ({ facts, span, whole, from, to }: FactsPart, ends: VisitEnds) => {
    const quarters = facts.quarters();
    const first = whole ? 0 : placeOf(quarters, from);
    const end = whole ? quarters.numbers.length : placeOf(quarters, to);
    ends.add(span, quarters.visits, end * quarterVisits, first * quarterVisits);
    return 1;
  };
  return {
    groups: edgesMs.length - 1,
    groupsOf,
    unitMs: quarterMs,
    division: { edgesMs },
    addFacts,
    visits: (site, _, context) => spanVisits(site, edgesMs, groupsOf, context),
  };
}

const noVisits = new Uint32Array(visitParts);

export class VisitEnds {
  /** By group: visits that begin there, those of them that are over, those of these that bounced, and visits that end there. */
  readonly entries: Uint32Array;
  readonly over: Uint32Array;
  readonly bounced: Uint32Array;
  readonly exits: Uint32Array;

  /** `going`: the visits that are not over. */
  private constructor(
    groups: number,
    private readonly going: ReadonlySet<number>,
  ) {
    this.entries = new Uint32Array(groups);
    this.over = new Uint32Array(groups);
    this.bounced = new Uint32Array(groups);
    this.exits = new Uint32Array(groups);
  }

  /** Counts the selected visits of the website. Throws Cancelled. */
  static of(
    site: SiteWithFacts,
    query: Selection & Pick<ByVisit, "nowMs">,
    { groups, groupsOf, unitMs, division, addFacts }: VisitGroups,
    context: QueryContext,
  ): VisitEnds {
    const ends = new VisitEnds(groups, visitsSince(site, (query.nowMs ?? Infinity) - visitPauseMs));
    const { facts, rows } = factsAndRows(site, query, unitMs, division);
    const left: RowsPart[] = [...rows];
    for (const part of facts) {
      const added = addFacts(part, ends);
      if (added === undefined) left.push(part);
      else context.factsAdded += added;
    }
    visitLeft(site, left, query.filters, context, (block) => ends.addBlock(block, groupsOf(block)));
    return ends;
  }

  /** Adds the numbers of each `visitPart` from `at` on, less those from `before` on. */
  add(group: number, visits: Uint32Array, at: number, before?: number): void {
    const [from, less] = before === undefined ? [noVisits, 0] : [visits, before];
    const part = (name: keyof typeof visitPart) =>
      visits[at + visitPart[name]]! - from[less + visitPart[name]]!;
    this.entries[group]! += part("entries");
    this.over[group]! += part("entries");
    this.bounced[group]! += part("bounced");
    this.exits[group]! += part("exits");
  }

  private addBlock(block: Block, groups: Uint32Array): void {
    const { entries, over, bounced, exits, going } = this;
    const flags = selectedVisitFlags(block);
    const visits = selectedVisits(block);
    for (let at = 0; at < block.count; at++) {
      const own = flags[at]!;
      if (own === 0) continue;
      const group = groups[at]!;
      if (own & visitFlag.exit) exits[group]!++;
      if ((own & visitFlag.entry) === 0) continue;
      entries[group]!++;
      if (going.size > 0 && going.has(visits[at]!)) continue;
      over[group]!++;
      if ((own & visitFlag.engaged) === 0) bounced[group]!++;
    }
  }
}
