/**
 * Counts by group. A row adds one to one cell and its duration to the cell beside it: eight pairs of cells a
 * group, one for each class that the flags of a row can be in. The class folds the question's definition of a
 * visitor, the known time and the bounce, so the loops have no branch on data.
 */
import type { PageViewCounts } from "../core/metric.ts";
import { roomFor, scratch, type Holder } from "../lib/scratch.ts";
import { rowFlag } from "../store/chunk.ts";
import { classTables, pageViewClasses, rowClass, type VisitorFlag } from "../store/row-class.ts";
import type { RollupPart } from "./plan.ts";
import type { Block } from "./block.ts";

const cellsPerGroup = 16;
const noCells = new Float64Array(0);

/** Ids are counted one by one and put into their groups at the end, up to so many: fewer writes meet in one cell. */
const directIdsMax = 4_096;
const iota = Uint32Array.from({ length: directIdsMax }, (_, id) => id);

export class Counts implements Holder {
  /** Of each group, then of each id if those are counted first. Kept between questions. */
  private cells = noCells;
  private classOf: Uint8Array = classTables[rowFlag.unique];
  private cellOf: Uint32Array = iota;
  private groupOf: Uint32Array = iota;
  private ids = 0;
  private direct = false;
  groups = 0;

  /** For `ids` ids of a column, each in the group that `groupOf` says. */
  begin(ids: number, groupOf: Uint32Array, groups: number, visitor: VisitorFlag): this {
    this.ids = ids;
    this.groups = groups;
    this.groupOf = groupOf;
    this.direct = ids <= directIdsMax;
    this.cellOf = this.direct ? iota : groupOf;
    const cells = Math.max(ids * Number(this.direct), groups) * cellsPerGroup;
    const fits = this.cells.length >= cells;
    scratch.hold(this, noCells.BYTES_PER_ELEMENT * (fits ? this.cells.length : roomFor(cells)));
    if (fits) this.cells.fill(0, 0, cells);
    else this.cells = new Float64Array(roomFor(cells));
    this.classOf = classTables[visitor];
    return this;
  }

  /** `ids`: an id for each row of the block. */
  add(block: Block, ids: Uint16Array | Uint32Array): void {
    const { cells, classOf, cellOf } = this;
    if (ids instanceof Uint32Array) addWide(cells, classOf, ids, cellOf, block);
    else if (block.dense) addDense(cells, classOf, ids, cellOf, block);
    else addNarrow(cells, classOf, ids, cellOf, block);
  }

  /** Puts ids into their groups; to be called once, after all blocks and before any rollup. */
  end(): this {
    const { groupOf } = this;
    this.groupOf = this.cellOf = iota;
    if (!this.direct) return this;
    const byId = this.cells.slice(0, this.ids * cellsPerGroup);
    this.cells.fill(0, 0, Math.max(this.ids, this.groups) * cellsPerGroup);
    for (let id = 0; id < this.ids; id++) {
      const to = (groupOf[id] as number) * cellsPerGroup;
      for (let cell = 0; cell < cellsPerGroup; cell++)
        this.cells[to + cell] =
          (this.cells[to + cell] as number) + (byId[id * cellsPerGroup + cell] as number);
    }
    return this;
  }

  letGo(): void {
    this.cells = noCells;
  }

  /** `groupOf`: the group of each value of the rollup's dimension. Returns how many entries were added. */
  addRollup({ rollup, firstStretch, endStretch }: RollupPart, groupOf: Uint32Array): number {
    const { ends, ids, counts, totalMs } = rollup;
    const from = firstStretch === 0 ? 0 : (ends[firstStretch - 1] as number);
    const end = ends[endStretch - 1] as number;
    addEntries(this.cells, ids, counts, totalMs, groupOf, from, end);
    return end - from;
  }

  /** `rows`: of a group, in each of the `pageViewClasses` classes. */
  addClasses(group: number, rows: Uint32Array): void {
    const to = group * cellsPerGroup;
    for (let kind = 0; kind < pageViewClasses; kind++) {
      const cell = to + 2 * kind;
      this.cells[cell] = (this.cells[cell] as number) + (rows[kind] as number);
    }
  }

  pageviews(group: number): number {
    return this.sum(group, rowClass.untimed, rowClass.uniqueBounced);
  }

  visitors(group: number): number {
    return this.sum(group, rowClass.visitorUntimed, rowClass.uniqueBounced);
  }

  /** Page views whose time is known. */
  known(group: number): number {
    return (
      this.pageviews(group) -
      this.sum(group, rowClass.untimed, rowClass.untimed) -
      this.sum(group, rowClass.visitorUntimed, rowClass.visitorUntimed)
    );
  }

  /** Milliseconds on the page views of the group. */
  totalMs(group: number): number {
    return this.sum(group, rowClass.untimed, rowClass.uniqueBounced, 1);
  }

  /** What a group adds up to. */
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

  private sum(group: number, from: number, to: number, cell = 0): number {
    const at = group * cellsPerGroup + cell;
    let sum = 0;
    for (let kind = from; kind <= to; kind++) sum += this.cells[at + 2 * kind] as number;
    return sum;
  }
}

/** This thread's: a question is done with them before the next begins. */
export const counts = new Counts();

// The loops stand apart from the object, so that everything they touch is local, and each sees one kind of array.

function addEntries(
  cells: Float64Array,
  ids: Uint32Array,
  counts: Uint32Array,
  totalMs: Float64Array,
  groupOf: Uint32Array,
  from: number,
  end: number,
): void {
  for (let entry = from; entry < end; entry++) {
    const to = (groupOf[ids[entry] as number] as number) * cellsPerGroup;
    for (let kind = 0; kind < pageViewClasses; kind++) {
      const cell = to + 2 * kind;
      cells[cell] = (cells[cell] as number) + (counts[entry * pageViewClasses + kind] as number);
    }
    // Only the sum over the classes is ever asked for.
    cells[to + 1] = (cells[to + 1] as number) + (totalMs[entry] as number);
  }
}

function addDense(
  cells: Float64Array,
  classOf: Uint8Array,
  ids: Uint16Array,
  cellOf: Uint32Array,
  { chunk: { flags, duration }, start, count }: Block,
): void {
  for (let at = 0; at < count; at++) {
    const row = start + at;
    const cell =
      ((cellOf[ids[at] as number] as number) << 4) | ((classOf[flags[row] as number] as number) << 1);
    cells[cell] = (cells[cell] as number) + 1;
    cells[cell + 1] = (cells[cell + 1] as number) + (duration[row] as number);
  }
}

function addNarrow(
  cells: Float64Array,
  classOf: Uint8Array,
  ids: Uint16Array,
  cellOf: Uint32Array,
  { chunk: { flags, duration }, start, rows, count }: Block,
): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const group = cellOf[ids[row] as number] as number;
    const cell = (group << 4) | ((classOf[flags[start + row] as number] as number) << 1);
    cells[cell] = (cells[cell] as number) + 1;
    cells[cell + 1] = (cells[cell + 1] as number) + (duration[start + row] as number);
  }
}

function addWide(
  cells: Float64Array,
  classOf: Uint8Array,
  ids: Uint32Array,
  cellOf: Uint32Array,
  { chunk: { flags, duration }, start, rows, count }: Block,
): void {
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const group = cellOf[ids[row] as number] as number;
    const cell = (group << 4) | ((classOf[flags[start + row] as number] as number) << 1);
    cells[cell] = (cells[cell] as number) + 1;
    cells[cell + 1] = (cells[cell + 1] as number) + (duration[start + row] as number);
  }
}

/** How many of a block's rows have the flag; rows that are no page view have none. */
export function countFlag({ chunk: { flags }, start, rows, count }: Block, flag: VisitorFlag): number {
  let sum = 0;
  for (let at = 0; at < count; at++) sum += (flags[start + (rows[at] as number)] as number) & flag;
  return sum / flag;
}
