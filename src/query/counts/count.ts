/**
 * Counts by group. A row adds one to one cell of its group, and its duration to the group's total. There is a cell for
 * each class that the flags of a row can be in (store/columns/row-class.ts): the class combines the question's
 * definition of a visitor, the known time and the bounce, so the loop has no branch on data. A list that shows only
 * page views and visitors has fewer classes and no totals, which takes half the time.
 */
import type { PageViewCounts } from "../../core/questions/metric.ts";
import type { Rollup } from "../../facts/entries.ts";
import { roomFor, scratch, type Holder } from "../../lib/memory/scratch.ts";
import { rowFlagsMax } from "../../store/columns/row-flag.ts";
import {
  classTables,
  pageViewClasses,
  rowClass,
  viewClass,
  viewClassTables,
  type VisitorFlag,
} from "../../store/columns/row-class.ts";
import type { Block } from "../rows/block.ts";

/** Says what is counted: page views and visitors only, or everything. */
export type Detail = "views" | "all";

/** The base-2 logarithm of the number of cells in a group, by detail. */
const viewBits = 2;
const allBits = 3;
const cellsPerGroup = 1 << allBits;
const noCells = new Int32Array(0);
const noTotals = new Float64Array(0);

export class Counts implements Holder {
  /** The number of groups; the ids of a column are groups too. */
  groups = 0;
  detail: Detail = "all";
  /** By group, then by class. The memory is kept between questions; so is that of the totals. */
  private cells = noCells;
  private durationMs = noTotals;

  /** Sets all counts to zero, for this many groups. */
  begin(groups: number, detail: Detail = "all"): this {
    this.groups = groups;
    this.detail = detail;
    const cells = groups << bitsOf(detail);
    const totals = detail === "all" ? groups : 0;
    const cellRoom = Math.max(this.cells.length, roomFor(cells));
    const totalRoom = Math.max(this.durationMs.length, roomFor(totals));
    scratch.hold(this, 4 * cellRoom + 8 * totalRoom);
    if (this.cells.length >= cells) this.cells.fill(0, 0, cells);
    else this.cells = new Int32Array(cellRoom);
    if (this.durationMs.length >= totals) this.durationMs.fill(0, 0, totals);
    else this.durationMs = new Float64Array(totalRoom);
    return this;
  }

  /** Adds the selected rows of a block by their ids. `ids`: by row of the chunk. Only for the detail "views". */
  addViews(block: Block, ids: Uint16Array | Uint32Array, visitor: VisitorFlag): void {
    addViews(this.cells, block, block.chunk.flags, ids, viewClassTables[visitor]);
  }

  /** Adds `count` rows: their groups, flags, and durations in milliseconds. Only for the detail "all". */
  addRows(
    groups: Uint32Array,
    flags: Uint8Array,
    durations: Uint32Array,
    count: number,
    visitor: VisitorFlag,
  ): void {
    addRows(this.cells, this.durationMs, groups, flags, durations, count, classTables[visitor]);
  }

  /** Adds the selected rows of a block at the indexes from `from` up to `to`, all of one group. */
  addRun(group: number, block: Block, from: number, to: number, visitor: VisitorFlag): void {
    const { chunk, start, rows } = block;
    const totalMs = countFlags(chunk.flags, chunk.duration, start, rows, from, to);
    this.addFlags(group, rowsOfFlags, totalMs, visitor);
  }

  /** Adds rows of a group, so many of each combination of flags, and their milliseconds. Only for the detail "all". */
  addFlags(group: number, rows: Int32Array, totalMs: number, visitor: VisitorFlag): void {
    this.durationMs[group]! += totalMs;
    const classOf = classTables[visitor];
    const first = group * cellsPerGroup;
    for (let combination = 0; combination < rowFlagsMax; combination++)
      this.cells[first + classOf[combination]!]! += rows[combination]!;
  }

  /** Adds counts by id, in the same detail. `groupOf`: the group of each of their ids. */
  addCounts({ cells, durationMs, groups: ids }: Counts, groupOf: Uint32Array): void {
    if (this.detail === "views") foldViews(this.cells, cells, ids, groupOf);
    else foldIds(this.cells, this.durationMs, cells, durationMs, ids, groupOf);
  }

  /**
   * Adds a rollup's entries, of the parts from `firstPart` up to `endPart`; the detail must be "all". `groupOf`: the
   * group of each value of the rollup's dimension. Returns how many entries were added.
   */
  addRollup(rollup: Rollup, groupOf: Uint32Array, firstPart: number, endPart: number): number {
    const { ends, ids, counts, totalMs } = rollup;
    const from = firstPart === 0 ? 0 : ends[firstPart - 1]!;
    const end = endPart === 0 ? 0 : ends[endPart - 1]!;
    addEntries(this.cells, this.durationMs, ids, counts, totalMs, groupOf, from, end);
    return end - from;
  }

  /** Adds this many rows to a group in each of the `pageViewClasses` classes, and their milliseconds. */
  addClasses(group: number, rows: Uint32Array, totalMs: number): void {
    const to = group * cellsPerGroup;
    this.durationMs[group]! += totalMs;
    for (let kind = 0; kind < pageViewClasses; kind++) this.cells[to + kind]! += rows[kind]!;
  }

  letGo(): void {
    this.cells = noCells;
    this.durationMs = noTotals;
  }

  pageviews(group: number): number {
    if (this.detail === "views") return this.sum(group, viewClass.view, viewClass.visitor);
    return this.sum(group, rowClass.untimed, rowClass.uniqueBounced);
  }

  visitors(group: number): number {
    if (this.detail === "views") return this.sum(group, viewClass.visitor, viewClass.visitor);
    return this.sum(group, rowClass.visitorUntimed, rowClass.uniqueBounced);
  }

  /** Returns the page views whose time is known. Only for the detail "all". */
  known(group: number): number {
    const untimed = this.sum(group, rowClass.untimed, rowClass.untimed);
    return (
      this.pageviews(group) - untimed - this.sum(group, rowClass.visitorUntimed, rowClass.visitorUntimed)
    );
  }

  /** Returns the milliseconds on the page views of the group. Only for the detail "all". */
  totalMs(group: number): number {
    return this.durationMs[group]!;
  }

  /** Returns the counts of a group; NaN for those that the detail leaves out, so that no figure can be made of them. */
  of(group: number): PageViewCounts {
    const visitors = this.visitors(group);
    const pageviews = this.pageviews(group);
    if (this.detail === "views")
      return { visitors, pageviews, known: NaN, uniqueKnown: NaN, bounced: NaN, totalMs: NaN };
    return {
      visitors,
      pageviews,
      known: this.known(group),
      uniqueKnown: this.sum(group, rowClass.uniqueTimed, rowClass.uniqueBounced),
      bounced: this.sum(group, rowClass.uniqueBounced, rowClass.uniqueBounced),
      totalMs: this.totalMs(group),
    };
  }

  private sum(group: number, from: number, to: number): number {
    const at = group << bitsOf(this.detail);
    let sum = 0;
    // Sums of months may take all 32 bits of a cell.
    for (let kind = from; kind <= to; kind++) sum += this.cells[at + kind]! >>> 0;
    return sum;
  }
}

function bitsOf(detail: Detail): number {
  return detail === "views" ? viewBits : allBits;
}

/** The counts by group of this thread's questions; each is done with them before the next one begins. */
export const groupCounts = new Counts();

/** By combination of flags: the number of rows in the run that was counted last. */
const rowsOfFlags = new Int32Array(rowFlagsMax);

// The loops are functions of their own so that everything they touch is a local variable. `| 0` keeps numbers in 32-bit
// integers: the runtime treats those of unsigned arrays as doubles, which costs a third more.

function addViews(
  cells: Int32Array,
  { start, rows, count }: Block,
  flags: Uint8Array,
  ids: Uint16Array | Uint32Array,
  classOf: Uint8Array,
): void {
  // The loop below is: for each row, cells[its id][class of its flags] += 1.
  for (let at = 0; at < count; at++) {
    const row = (start + rows[at]!) | 0;
    const cell = ((ids[row]! | 0) << viewBits) | classOf[flags[row]!]!;
    cells[cell] = (cells[cell]! + 1) | 0;
  }
}

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
    const cell = (group << allBits) | classOf[flags[at]!]!;
    cells[cell] = (cells[cell]! + 1) | 0;
    totalMs[group] = totalMs[group]! + (durations[at]! | 0);
  }
}

/** Returns the sum of the durations. */
function countFlags(
  flags: Uint8Array,
  durations: Uint32Array,
  start: number,
  rows: Uint32Array,
  from: number,
  to: number,
): number {
  rowsOfFlags.fill(0);
  let totalMs = 0;
  // The loop below is: for each row, rowsOfFlags[its flags] += 1, totalMs += duration.
  for (let at = from; at < to; at++) {
    const row = (start + rows[at]!) | 0;
    const combination = flags[row]! | 0;
    rowsOfFlags[combination] = (rowsOfFlags[combination]! + 1) | 0;
    totalMs += durations[row]! | 0;
  }
  return totalMs;
}

function foldViews(cells: Int32Array, from: Int32Array, ids: number, groupOf: Uint32Array): void {
  // The loop below is: for each id, cells[its group] += from[id], for page views and visitors.
  for (let id = 0; id < ids; id++) {
    const to = (groupOf[id]! | 0) << viewBits;
    const at = id << viewBits;
    cells[to] = (cells[to]! + from[at]!) | 0;
    cells[to + 1] = (cells[to + 1]! + from[at + 1]!) | 0;
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

/** Returns how many rows of a block have the visitor's flag; those that are no page view never have it. */
export function countVisitors({ chunk, start, rows, count }: Block, visitor: VisitorFlag): number {
  const { flags } = chunk;
  let sum = 0;
  for (let at = 0; at < count; at++) sum += flags[(start + rows[at]!) | 0]! & visitor;
  return sum / visitor;
}
