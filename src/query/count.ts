/**
 * Counts by group. A row adds one to one cell of its group, and its duration to the group's total. There is a cell for
 * each class that the flags of a row can be in (store/row-class.ts): the class folds the question's definition of a
 * visitor, the known time and the bounce, so the loop has no branch on data.
 */
import type { PageViewCounts } from "../core/metric.ts";
import type { Rollup } from "../facts/rollup.ts";
import { roomFor, scratch, type Holder } from "../lib/scratch.ts";
import { classTables, pageViewClasses, rowClass, type VisitorFlag } from "../store/row-class.ts";

const cellsPerGroup = 8;
const bytesPerGroup = 4 * cellsPerGroup + 8;
const noCells = new Int32Array(0);
const noTotals = new Float64Array(0);

export class Counts implements Holder {
  /** How many groups there are; ids of a column are groups too. */
  groups = 0;
  /** By group, then by class. Kept between questions, as the totals are. */
  private cells = noCells;
  private durationMs = noTotals;

  /** Empties it, for so many groups. */
  begin(groups: number): this {
    this.groups = groups;
    const fits = this.durationMs.length >= groups;
    scratch.hold(this, bytesPerGroup * (fits ? this.durationMs.length : roomFor(groups)));
    if (fits) {
      this.cells.fill(0, 0, groups * cellsPerGroup);
      this.durationMs.fill(0, 0, groups);
    } else {
      this.cells = new Int32Array(roomFor(groups) * cellsPerGroup);
      this.durationMs = new Float64Array(roomFor(groups));
    }
    return this;
  }

  /** Adds `count` rows: their groups, flags, and durations in milliseconds. */
  addRows(
    groups: Uint32Array,
    flags: Uint8Array,
    durations: Uint32Array,
    count: number,
    visitor: VisitorFlag,
  ): void {
    addRows(this.cells, this.durationMs, groups, flags, durations, count, classTables[visitor]);
  }

  /** Adds what was counted by id; `groupOf`: the group of each of its ids. */
  addCounts({ cells, durationMs, groups: ids }: Counts, groupOf: Uint32Array): void {
    foldIds(this.cells, this.durationMs, cells, durationMs, ids, groupOf);
  }

  /**
   * Adds entries of the rollup, of the parts from `firstPart` up to `endPart`. `groupOf`: the group of each value of the
   * rollup's dimension. Returns how many entries were added.
   */
  addRollup(rollup: Rollup, groupOf: Uint32Array, firstPart: number, endPart: number): number {
    const { ends, ids, counts, totalMs } = rollup;
    const from = firstPart === 0 ? 0 : ends[firstPart - 1]!;
    const end = endPart === 0 ? 0 : ends[endPart - 1]!;
    addEntries(this.cells, this.durationMs, ids, counts, totalMs, groupOf, from, end);
    return end - from;
  }

  /** Adds so many rows of a group in each of the `pageViewClasses` classes. */
  addClasses(group: number, rows: Uint32Array): void {
    const to = group * cellsPerGroup;
    for (let kind = 0; kind < pageViewClasses; kind++) this.cells[to + kind]! += rows[kind]!;
  }

  letGo(): void {
    this.cells = noCells;
    this.durationMs = noTotals;
  }

  pageviews(group: number): number {
    return this.sum(group, rowClass.untimed, rowClass.uniqueBounced);
  }

  visitors(group: number): number {
    return this.sum(group, rowClass.visitorUntimed, rowClass.uniqueBounced);
  }

  /** Page views whose time is known. */
  known(group: number): number {
    const at = group * cellsPerGroup;
    return (
      this.pageviews(group) - this.cells[at + rowClass.untimed]! - this.cells[at + rowClass.visitorUntimed]!
    );
  }

  /** Milliseconds on the page views of the group. */
  totalMs(group: number): number {
    return this.durationMs[group]!;
  }

  /** Returns what a group adds up to. */
  of(group: number): PageViewCounts {
    return {
      visitors: this.visitors(group),
      pageviews: this.pageviews(group),
      known: this.known(group),
      uniqueKnown: this.sum(group, rowClass.uniqueTimed, rowClass.uniqueBounced),
      bounced: this.sum(group, rowClass.uniqueBounced, rowClass.uniqueBounced),
      totalMs: this.totalMs(group),
    };
  }

  private sum(group: number, from: number, to: number): number {
    const at = group * cellsPerGroup;
    let sum = 0;
    for (let kind = from; kind <= to; kind++) sum += this.cells[at + kind]!;
    return sum;
  }
}

/** The groups that this thread's questions count; each is done with them before the next begins. */
export const groupCounts = new Counts();

// The loops stand apart from the object, so that everything they touch is local. `| 0` keeps numbers in 32-bit integers:
// the runtime takes those of unsigned arrays for doubles, which costs a third more.

function addRows(
  cells: Int32Array,
  totalMs: Float64Array,
  groups: Uint32Array,
  flags: Uint8Array,
  durations: Uint32Array,
  count: number,
  classOf: Uint8Array,
): void {
  // The loop below is: for each row, cells[group][class of its flags] += 1, totalMs[group] += duration.
  for (let at = 0; at < count; at++) {
    const group = groups[at]! | 0;
    const cell = (group << 3) | classOf[flags[at]!]!;
    cells[cell] = (cells[cell]! + 1) | 0;
    totalMs[group] = totalMs[group]! + (durations[at]! | 0);
  }
}

function foldIds(
  cells: Int32Array,
  toMs: Float64Array,
  from: Int32Array,
  fromMs: Float64Array,
  ids: number,
  groupOf: Uint32Array,
): void {
  // The loop below is: for each id, cells[its group] += from[id], in each class.
  for (let id = 0; id < ids; id++) {
    const group = groupOf[id]! | 0;
    const to = group * cellsPerGroup;
    const at = id * cellsPerGroup;
    for (let kind = 0; kind < pageViewClasses; kind++)
      cells[to + kind] = (cells[to + kind]! + from[at + kind]!) | 0;
    toMs[group] = toMs[group]! + fromMs[id]!;
  }
}

function addEntries(
  cells: Int32Array,
  toMs: Float64Array,
  ids: Uint32Array,
  counts: Uint32Array,
  totalMs: Float64Array,
  groupOf: Uint32Array,
  from: number,
  end: number,
): void {
  // The loop below is: for each entry, cells[the group of its value] += its counts, in each class.
  for (let entry = from; entry < end; entry++) {
    const group = groupOf[ids[entry]! | 0]! | 0;
    const to = group * cellsPerGroup;
    const at = entry * pageViewClasses;
    for (let kind = 0; kind < pageViewClasses; kind++)
      cells[to + kind] = (cells[to + kind]! + (counts[at + kind]! | 0)) | 0;
    toMs[group] = toMs[group]! + totalMs[entry]!;
  }
}

/** How many of the first `count` flags have the visitor's flag; those of rows that are no page view have none. */
export function countVisitors(flags: Uint8Array, count: number, visitor: VisitorFlag): number {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += flags[at]! & visitor;
  return sum / visitor;
}
