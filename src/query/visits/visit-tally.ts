/**
 * Counts by group what figures by visit are made of: distinct visits, those that are timed by a page view of the group, and
 * the page views without a visit, which these figures leave out.
 */
import { metricOf, type Measures, type MetricName } from "../../core/questions/metric.ts";
import type { CountedVisits } from "../../facts/facts.ts";
import type { Rollup } from "../../facts/entries.ts";
import { outsideOf, type Outside } from "../../facts/outside-visits.ts";
import { isPageView } from "../../store/columns/row-flag.ts";
import {
  selectedDurations,
  selectedFlags,
  selectedVisits,
  type Block,
  type BlockRows,
  type GroupsOf,
} from "../rows/block.ts";
import { DistinctVisits } from "./distinct/distinct-visits.ts";
import type { SharedVisits } from "./distinct/shared-visits.ts";

/** Says whether more than distinct visits is counted. */
export interface VisitDetail {
  readonly timed: boolean;
  readonly outside: boolean;
}

export const visitsOnly: VisitDetail = { timed: false, outside: false };

/** Returns what is counted for these metrics. */
export function visitDetail(metrics: readonly MetricName[] = []): VisitDetail {
  const needs = (measure: keyof Measures) => metrics.some((name) => metricOf(name).needs.includes(measure));
  return { timed: needs("timedVisits"), outside: needs("outsideViews") || needs("outsideMs") };
}

/** The page views without a visit, by group. */
export class OutsideViews {
  private readonly sums: Outside;

  constructor(groups: number) {
    this.sums = outsideOf(groups);
  }

  /** Adds a block of rows. Mostly none of them is without a visit. */
  addBlock(block: Block, groupsOf: GroupsOf): void {
    const visits = selectedVisits(block);
    let first = 0;
    while (first < block.count && visits[first] !== 0) first++;
    if (first === block.count) return;
    const [flags, durations, groups] = [selectedFlags(block), selectedDurations(block), groupsOf(block)];
    const { pageviews, totalMs } = this.sums;
    for (let at = first; at < block.count; at++) {
      if (visits[at] !== 0) continue;
      pageviews[groups[at]!]! += isPageView(flags[at]!);
      totalMs[groups[at]!]! += durations[at]!;
    }
  }

  add(group: number, pageviews: number, totalMs: number): void {
    this.sums.pageviews[group]! += pageviews;
    this.sums.totalMs[group]! += totalMs;
  }

  of(group: number): OutsideMeasures {
    return { outsideViews: this.sums.pageviews[group]!, outsideMs: this.sums.totalMs[group]! };
  }

  get all(): OutsideMeasures {
    const { pageviews, totalMs } = this.sums;
    const add = (sum: number, own: number) => sum + own;
    return { outsideViews: pageviews.reduce(add, 0), outsideMs: totalMs.reduce(add, 0) };
  }
}

type OutsideMeasures = Pick<Measures, "outsideViews" | "outsideMs">;

export class VisitTally {
  readonly visits: DistinctVisits;
  readonly timed: DistinctVisits | undefined;
  readonly outside: OutsideViews | undefined;

  constructor(
    groups: number,
    shared: SharedVisits,
    readonly detail: VisitDetail,
  ) {
    this.visits = new DistinctVisits(groups, shared);
    if (detail.timed) this.timed = new DistinctVisits(groups, shared, "timed");
    if (detail.outside) this.outside = new OutsideViews(groups);
  }

  /** The counters of distinct visits, each with which visits it counts. */
  get distinct(): readonly (readonly [DistinctVisits, CountedVisits])[] {
    const { visits, timed } = this;
    return [[visits, "all"], ...(timed === undefined ? [] : [[timed, "timed"] as const])];
  }

  addBlock(block: Block, groupsOf: GroupsOf): void {
    const groups = groupsOf(block);
    this.visits.addBlock(block, groups);
    this.timed?.addBlock(block, groups);
    this.outside?.addBlock(block, groupsOf);
  }

  /** Adds rows of shared visits, as `DistinctVisits.addShared` does. */
  addShared(chunk: BlockRows, rows: Uint32Array, groupsOf: GroupsOf): void {
    this.visits.addShared(chunk, rows, groupsOf);
    this.timed?.addShared(chunk, rows, groupsOf);
  }

  /**
   * Adds a rollup's entries, of the parts from `first` up to `end`. `groupOf`: the group of each value. Returns how many
   * entries were added.
   */
  addRollup(rollup: Rollup, groupOf: Uint32Array, first: number, end: number): number {
    const { ends, ids } = rollup;
    const [from, to] = [first, end].map((at) => (at === 0 ? 0 : ends[at - 1]!)) as [number, number];
    for (const [distinct, counted] of this.distinct) {
      const visits = counted === "all" ? rollup.distinctVisits : rollup.timedVisits;
      const ofPart = counted === "all" ? rollup.visitsOfPart : rollup.timedVisitsOfPart;
      for (let entry = from; entry < to; entry++) distinct.addFacts(groupOf[ids[entry]!]!, visits[entry]!);
      for (let at = first; at < end; at++) distinct.all += ofPart[at]!;
    }
    const outside = this.outside && rollup.outside;
    if (outside !== undefined)
      for (let entry = from; entry < to; entry++)
        this.outside!.add(groupOf[ids[entry]!]!, outside.pageviews[entry]!, outside.totalMs[entry]!);
    return to - from;
  }
}
